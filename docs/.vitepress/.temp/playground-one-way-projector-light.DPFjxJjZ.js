const _imports_0 = "/assets/playground-one-way-projector-light.B_Fw8RXd.png";
export {
  _imports_0 as _
};

const _imports_0 = "/assets/playground-middle-projector-light.CtzOybbv.png";
export {
  _imports_0 as _
};

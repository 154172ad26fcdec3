const _imports_0 = "/assets/playground-forgetful-projector-light.C7QvL0Sh.png";
export {
  _imports_0 as _
};

const _imports_0 = "/assets/playground-partition-projector-light.DUMeMj3B.png";
export {
  _imports_0 as _
};

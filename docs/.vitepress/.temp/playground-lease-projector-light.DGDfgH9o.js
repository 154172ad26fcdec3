const _imports_0 = "/assets/playground-lease-projector-light.CvlpjPJr.png";
export {
  _imports_0 as _
};

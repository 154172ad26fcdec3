const _imports_0 = "/assets/playground-crash-desktop-light.C1CcF0EN.png";
export {
  _imports_0 as _
};

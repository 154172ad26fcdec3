// What is imported by the name of its package alone has no name of its own, and would have no page: it gets that of the
// package.

/** Called by typedoc. */
export function load({ converter }) {
  converter.on('resolveEnd', ({ project }) => {
    for (const module of project.children ?? []) {
      if (module.name === '') module.name = project.packageName.split('/').at(-1);
    }
  });
}

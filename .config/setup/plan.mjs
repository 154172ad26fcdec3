/** What to do about what is missing on this machine: whether to install it, and the sentence to say first. */
export function planFor(missing, { hasApt, isRoot, beforeTests }) {
  const names = namesOf(missing);
  if (names === '') {
    return { installs: false, sentence: beforeTests ? null : 'Everything that the tests need is there.' };
  }
  if (!hasApt) {
    const sentence = `The tests need what Debian calls ${names}: install it by the means of this system.`;
    return { installs: false, sentence };
  }
  if (!isRoot) {
    const sentence = `The tests need ${names}: run 'sudo npm run setup', or install them by other means.`;
    return { installs: false, sentence };
  }
  const hint = beforeTests ? " (to do only this: 'npm run setup')" : '';
  const sentence = `The tests need ${names}: installing with apt-get, starting nothing${hint}.`;
  return { installs: true, sentence };
}

export function namesOf(missing) {
  return missing.flatMap(({ packages }) => packages).join(', ');
}

// Whether a condition is as it should be. Its type does not say whether True is good, so the page decides by the words of the name. This is
// the one place with the rule; docs/console.md tells it.

/** Last words of types that report trouble: False is good. */
const trouble = new Set(
  ('pressure unavailable fail failed failing failure failures error errors degraded stalled stuck blocked conflict conflicts conflicted ' +
    'conflicting denied rejected refused invalid missing lost broken corrupt corrupted detached exceeded expired unhealthy unreachable ' +
    'unschedulable deadlock problem warning orphaned overloaded violated violation').split(' '),
);
/** Last words of types that report the end of some work: False means that it goes on. */
const result = new Set(['complete', 'completed', 'succeeded', 'finished', 'done']);
/** Last words of types that report what goes on, or what somebody wants. So does each other word with -ing. */
const progress = new Set(['suspended', 'paused', 'pending', 'allowed', 'limited', 'upgradeable']);
const negations = new Set(['no', 'not', 'non']);

/** isWrong reports whether a condition is not as it should be. */
export function isWrong(type: string, status: string, reason: string): boolean {
  const words = wordsOf(type);
  const last = words.at(-1) ?? '';
  const inTrouble = trouble.has(last) !== negations.has(words[0] ?? '');
  const ends = result.has(last);
  if (!inTrouble && !ends && (progress.has(last) || last.endsWith('ing'))) return status === 'False' && wordsOf(reason).some((w) => trouble.has(w));
  if (status === 'Unknown') return true;
  if (inTrouble) return status === 'True';
  return status === 'False' && !ends && !result.has(wordsOf(reason).at(-1) ?? '');
}

/** wordsOf splits a name in CamelCase, without the domain before its slash, into words in small letters. */
function wordsOf(name: string): string[] {
  const own = name.slice(name.lastIndexOf('/') + 1);
  return (own.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase());
}

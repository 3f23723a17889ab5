// The shortest edit from one list to another.

/** One step: 0 both have it, 1 only the first (`actual`), -1 only the second (`expected`). */
export type DiffStep<T> = [kind: 0 | 1 | -1, value: T];

/**
 * Compares two lists element by element and lists the steps in order. Within a change, the elements
 * of the first list come before those of the second.
 */
export function diffLists<T>(actual: readonly T[], expected: readonly T[], same = (a: T, b: T) => a === b): DiffStep<T>[] {
  let start = 0;
  let aEnd = actual.length;
  let bEnd = expected.length;
  while (start < aEnd && start < bEnd && same(actual[start], expected[start])) start++;
  while (aEnd > start && bEnd > start && same(actual[aEnd - 1], expected[bEnd - 1])) {
    aEnd--;
    bEnd--;
  }
  const steps: DiffStep<T>[] = actual.slice(0, start).map((value) => [0, value]);
  const width = bEnd - start + 1;
  // lengths[i * width + j]: the longest common list of what is left from i and j on.
  const lengths = new Uint32Array((aEnd - start + 1) * width);
  for (let i = aEnd - start - 1; i >= 0; i--) {
    for (let j = bEnd - start - 1; j >= 0; j--) {
      lengths[i * width + j] = same(actual[start + i], expected[start + j])
        ? lengths[(i + 1) * width + j + 1] + 1
        : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  let i = 0;
  let j = 0;
  while (start + i < aEnd || start + j < bEnd) {
    const hasA = start + i < aEnd;
    const hasB = start + j < bEnd;
    if (hasA && hasB && same(actual[start + i], expected[start + j])) {
      steps.push([0, actual[start + i]]);
      i++;
      j++;
    } else if (hasA && (!hasB || lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])) {
      steps.push([1, actual[start + i]]);
      i++;
    } else {
      steps.push([-1, expected[start + j]]);
      j++;
    }
  }
  for (let k = aEnd; k < actual.length; k++) steps.push([0, actual[k]]);
  return steps;
}

/** The turns of a list in parts: Streamlit sends one again only when a turn in it has changed. */

const parts = new Map(); // by the names of lists, then by their numbers: the digest and the turns

/** Take a part of the turns. */
export function keepPart({ list, number, digest, turns }) {
  if (!parts.has(list)) parts.set(list, []);
  parts.get(list)[number] = { digest, turns: JSON.parse(turns) };
}

/** The turns of a list, or null as long as one of their parts has not come. A short list has them itself. */
export function findTurns({ list, turns, digests }) {
  if (turns) return turns;
  const known = parts.get(list) ?? [];
  const isComplete = digests.every((digest, number) => known[number]?.digest === digest);
  return isComplete ? digests.flatMap((_, number) => known[number].turns) : null;
}

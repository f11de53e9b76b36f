/** The turns of a list in parts: Streamlit sends one again only when a turn in it has changed. */

const parts = []; // by their numbers: the digest and the turns

/** Take a part of the turns. */
export function keepPart({ number, digest, turns }) {
  parts[number] = { digest, turns: JSON.parse(turns) };
}

/** The turns of a list, or null as long as one of their parts has not come. */
export function findTurns({ turns, digests }) {
  if (turns) return turns;
  const isComplete = digests.every((digest, number) => parts[number]?.digest === digest);
  return isComplete ? digests.flatMap((_, number) => parts[number].turns) : null;
}

// How times are taken: all ways over the same slices, in random order, in one process; each sample is the ratio of sums
// over a run of slices, and what counts is the median of the samples. Runs in Node and in a page.

/** Lines as bytes, in slices of whole lines: what a host reads at once. */
export function slices(lines, size = 64 * 1024) {
  const encoder = new TextEncoder();
  const found = [];
  let start = 0;
  let length = 0;
  lines.forEach((line, index) => {
    length += line.length + 1;
    if (length < size && index < lines.length - 1) return;
    const own = lines.slice(start, index + 1);
    found.push({ lines: own.map(flat), bytes: encoder.encode(`${own.join("\n")}\n`) });
    start = index + 1;
    length = 0;
  });
  return found;
}

/** The string as one flat piece of memory, as if it had just been decoded. */
function flat(text) {
  return new TextDecoder().decode(new TextEncoder().encode(text));
}

/** What any JavaScript host pays at least: every line parsed, from strings that are there. */
function parseLines({ lines }) {
  let last;
  for (const line of lines) last = JSON.parse(line);
  return last;
}

/**
 * What a build costs against `JSON.parse`. All is read twice, each time by sessions that have just begun; the second time
 * counts, for by then the engine has compiled what is used often.
 */
export function measureBuild(openSession, { agent, channel, slices, clock }) {
  return second(() => {
    const [read, relayed] = [openSession({ agent }), openSession({ agent })];
    const ways = {
      parse: parseLines,
      events: (slice) => read.receive(slice.bytes, channel),
      relay: (slice) => relayed.relay(slice.bytes, channel),
    };
    const ratios = compare(slices, ways, clock);
    read.free();
    relayed.free();
    return ratios;
  });
}

/** What a converter costs against `JSON.parse`, by itself: its garbage is not to be collected in the time of others. */
export function measureConverter(Converter, { slices, clock }) {
  return second(() => {
    const converter = new Converter();
    return compare(slices, { parse: parseLines, plain: (slice) => converter.receive(slice.bytes) }, clock);
  });
}

function second(measure) {
  measure();
  return measure();
}

/**
 * Runs every way over every slice.
 *
 * @param {object[]} slices
 * @param {Record<string, (slice: object) => unknown>} ways the first is what the others are compared with
 * @param {() => number} clock
 * @param {number} run so many slices make a sample
 * @returns {Record<string, number>} the median ratio of each way
 */
function compare(slices, ways, clock, run = 4) {
  const names = Object.keys(ways);
  const [base] = names;
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let start = 0; start + run <= slices.length; start += run) {
    const spent = Object.fromEntries(names.map((name) => [name, 0]));
    for (const slice of slices.slice(start, start + run)) {
      for (const name of shuffled(names)) {
        const begin = clock();
        kept = ways[name](slice);
        spent[name] += clock() - begin;
      }
    }
    for (const name of names) samples[name].push(spent[name] / spent[base]);
  }
  return Object.fromEntries(names.map((name) => [name, median(samples[name])]));
}

/** What a way gave last is kept, so that no engine finds out that nobody needs it. */
export let kept;

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median of each way, of several measurements. */
export function medians(measured) {
  return Object.fromEntries(Object.keys(measured[0]).map((way) => [way, median(measured.map((one) => one[way]))]));
}

function shuffled(list) {
  const copy = [...list];
  for (let last = copy.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [copy[last], copy[other]] = [copy[other], copy[last]];
  }
  return copy;
}

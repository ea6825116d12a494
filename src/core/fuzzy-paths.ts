/** Paths prepared for searching. Folders end in `/`. */
export type PathIndex = {
	/** Returns the best matches for what was typed, the best first. The same list for the same question. */
	readonly search: (query: string, limit: number) => readonly string[];
	readonly size: number;
};

/** The paths in columns, those first that score most before anything is typed: 50,000 objects would be slower to walk. */
type Columns = {
	readonly paths: readonly string[];
	readonly lower: readonly string[];
	/** A bit for each letter and digit of a path. */
	readonly letters: Int32Array;
	/** Where the last name begins. */
	readonly names: Int32Array;
	readonly scores: Float64Array;
};

/** The rows that match a query; a longer query that begins like it matches none of the others. */
type Narrowed = {readonly query: string; readonly rows: Int32Array | readonly number[]};

/** Letters that follow each other, begin a word, or are in the last name count more; short and shallow paths win a tie. */
const points = {next: 8, wordStart: 6, inName: 3, nameStart: 10, whole: 20, perDepth: 2, perLetter: 0.05} as const;

/** Prepares paths, and the folders that they are in. */
export function indexPaths(paths: readonly string[]): PathIndex {
	const steps = columnsOf(paths);
	for (;;) {
		const step = steps.next();
		if (step.done) {
			return searchIn(step.value);
		}
	}
}

/** Does the same in short steps, so that keys are handled in between. `pause` lets other work run. */
export async function indexManyPaths(paths: readonly string[], pause: () => Promise<void>): Promise<PathIndex> {
	const steps = columnsOf(paths);
	for (;;) {
		const step = steps.next();
		if (step.done) {
			return searchIn(step.value);
		}

		await pause();
	}
}

function searchIn(columns: Columns): PathIndex {
	const all = Int32Array.from(columns.paths, (_, row) => row);
	let narrowed: Narrowed = {query: '', rows: all};
	let last: {readonly key: string; readonly found: readonly string[]} | undefined;
	return {
		size: all.length,
		search(typed, limit) {
			const query = typed.toLowerCase();
			const key = `${limit} ${query}`;
			if (last?.key !== key) {
				const rows = query.startsWith(narrowed.query) ? narrowed.rows : all;
				const {matching, found} = best(columns, rows, query, limit);
				narrowed = matching ? {query, rows: matching} : rows === all ? {query: '', rows: all} : narrowed;
				last = {key, found};
			}

			return last?.found ?? [];
		},
	};
}

/** Paths that are prepared in one step, about a millisecond. */
const stepSize = 2000;
/** More than there are paths: the place of a path is the lower part of the number that it is sorted by. */
const places = 2 ** 22;

/** Adds the folders that paths are in. */
function* withFolders(paths: readonly string[]): Generator<void, readonly string[]> {
	const folders = new Set<string>();
	for (const [index, path] of paths.entries()) {
		if (index % stepSize === stepSize - 1) {
			yield;
		}

		for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
			const folder = path.slice(0, end + 1);
			if (folders.has(folder)) {
				break;
			}

			folders.add(folder);
		}
	}

	return [...folders, ...paths];
}

function* columnsOf(given: readonly string[]): Generator<void, Columns> {
	const unsorted = yield* withFolders(given);
	yield;
	const order = Float64Array.from(unsorted, (path, place) => Math.round(-100 * scoreOfPath(path)) * places + place);
	yield;
	order.sort();
	const paths = Array.from(order, key => unsorted[key % places] ?? '');
	const lower: string[] = [];
	const letters = new Int32Array(paths.length);
	const names = new Int32Array(paths.length);
	const scores = new Float64Array(paths.length);
	for (const [row, path] of paths.entries()) {
		if (row % stepSize === 0) {
			yield;
		}

		const text = path.toLowerCase();
		lower.push(text);
		letters[row] = lettersOf(text);
		names[row] = text.lastIndexOf('/', text.length - 2) + 1;
		scores[row] = scoreOfPath(path);
	}

	return {paths, lower, letters, names, scores};
}

function scoreOfPath(path: string): number {
	let depth = 0;
	for (let at = path.indexOf('/'); at >= 0 && at < path.length - 1; at = path.indexOf('/', at + 1)) {
		depth++;
	}

	return -depth * points.perDepth - path.length * points.perLetter;
}

/** Returns the letters that a text has: a path without a letter of the query is skipped at once. */
function lettersOf(text: string): number {
	let letters = 0;
	for (let index = 0; index < text.length; index++) {
		const code = text.charCodeAt(index);
		letters |= code >= 97 && code <= 122 ? 1 << (code - 97) : code >= 48 && code <= 57 ? 1 << (26 + (code % 5)) : 0;
	}

	return letters;
}

/** Returns the best paths, and all that match if they were looked at: a search ends once no path can be better. */
function best({paths, lower, letters, names, scores}: Columns, rows: Narrowed['rows'], query: string, limit: number) {
	const wanted = lettersOf(query);
	const ofWhole = points.whole + points.nameStart + query.length * (points.next + points.inName);
	const mostPoints = Math.max(ofWhole, query.length * (points.next + points.inName + points.wordStart));
	const matching: number[] = [];
	const top: {readonly row: number; readonly score: number}[] = [];
	let least = Number.NEGATIVE_INFINITY;
	for (const row of rows) {
		const base = scores[row] ?? 0;
		if (base + mostPoints < least) {
			return {found: top.map(({row}) => paths[row] ?? '')};
		}

		const isPossible = ((letters[row] ?? 0) & wanted) === wanted;
		const gained = isPossible ? pointsOf(lower[row] ?? '', names[row] ?? 0, query) : -1;
		if (gained < 0) {
			continue;
		}

		matching.push(row);
		const score = base + gained;
		if (top.length < limit || score > least) {
			const place = top.findIndex(other => score > other.score);
			top.splice(place < 0 ? top.length : place, 0, {row, score});
			top.length = Math.min(top.length, limit);
			least = top.length < limit ? least : (top.at(-1)?.score ?? least);
		}
	}

	return {matching, found: top.map(({row}) => paths[row] ?? '')};
}

/** Returns how well a path matches: its letters contain those of the query in order. -1 if they don't. */
function pointsOf(path: string, name: number, query: string): number {
	const whole = path.lastIndexOf(query);
	if (whole >= 0) {
		const isStart = whole === name ? points.nameStart : isWordStart(path, whole) ? points.wordStart : 0;
		return points.whole + query.length * (points.next + (whole >= name ? points.inName : 0)) + isStart;
	}

	// From the end, so that letters are found in the last name first.
	let gained = 0;
	let at = path.length;
	for (let index = query.length - 1; index >= 0; index--) {
		const before = at;
		at = at > 0 ? path.lastIndexOf(query.charAt(index), at - 1) : -1;
		if (at < 0) {
			return -1;
		}

		gained += at === before - 1 ? points.next : 0;
		gained += (at >= name ? points.inName : 0) + (isWordStart(path, at) ? points.wordStart : 0);
	}

	return gained;
}

function isWordStart(text: string, at: number): boolean {
	const code = at === 0 ? 0 : text.charCodeAt(at - 1);
	return !((code >= 97 && code <= 122) || (code >= 48 && code <= 57));
}

import {randomUUID} from 'node:crypto';
import {chmod, link, lstat, mkdir, readFile, symlink, writeFile} from 'node:fs/promises';
import {dirname} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {type ContentStore, restoreFile} from '../../../src/agent/changes/restore-file.ts';
import {fileEntry} from '../../../src/agent/changes/tree.ts';
import {contentHash} from '../../../src/agent/tools/files/read-text.ts';
import {replaceFile} from '../../../src/agent/tools/files/replace-file.ts';
import {createSearchText} from '../../../src/agent/tools/search-text.ts';
import {AppError} from '../../../src/core/error.ts';
import {createRandom, drawnSeed, type Random} from '../../faults/fault.ts';
import {signal, startAgentIn} from '../changes/agent-at-work.ts';
import {openTools} from './open-tools.ts';

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();
/** Encodings, and bytes that no text in them has. */
const encodings = [
	{mark: '', encode: (text: string) => Buffer.from(text), damages: ['ff', 'c328', 'eda080', '00']},
	{mark: 'efbbbf', encode: (text: string) => Buffer.from(text), damages: ['ff', '00']},
	{mark: 'efbbbfefbbbf', encode: (text: string) => Buffer.from(text), damages: []},
	{mark: 'fffe', encode: (text: string) => Buffer.from(text, 'utf16le'), damages: ['00d8', '61']},
	{mark: 'feff', encode: utf16be, damages: ['dc00', '61']},
	{mark: '', encode: utf16be, damages: []},
	{
		mark: '',
		encode: (text: string) => Buffer.from(text, 'latin1'),
		damages: [],
		words: ['caf\u00E9', 'stra\u00DFe', '\ttab'],
	},
] as const;
const oddWords = [
	'plain',
	'\ttab',
	'no\u00A0break',
	'e\u0301',
	'\u00E9',
	'🙂',
	'日本',
	'“quoted”',
	'\u200B',
	'a\u2028b',
	'\uFEFF',
	' ',
	'',
];
const lineEnds = [['\n'], ['\r\n'], ['\r'], ['\n', '\r\n'], ['\n', '\r\n', '\r']] as const;
const names = [
	'a.txt',
	' a b ',
	'new\nline',
	'-n',
	'#a',
	'@a',
	'a (deleted)',
	'e\u0301',
	'*?[a]{b}',
	'"q"',
	'a\\b',
	'~',
	'🙂',
	'...',
];
const folders = ['', ' (deleted)', '\n', '\u00A0', '-'];

type Line = {readonly text: string; readonly end: string};

const join = (lines: readonly Line[]) => lines.map(({text, end}) => text + end).join('');

/** Draws a file of lines, each with a word of its own. */
function drawFile(random: Random) {
	const {mark, encode, damages, ...given} = random.pick(encodings);
	const words = 'words' in given ? given.words : oddWords;
	const ends = random.pick(lineEnds);
	const amount = 1 + random.below(8);
	const lines = Array.from({length: amount}, (_, index): Line => {
		const long = random.below(200) === 0 ? 'x'.repeat(1_000_000) : '';
		const isLast = index === amount - 1 && random.below(2) === 0;
		const first = index === 0 ? words[0] : random.pick<string>(words);
		return {
			text: `${first}w${index}w${long}${random.pick<string>(words)}`,
			end: isLast ? '' : random.pick<string>(ends),
		};
	});
	const damage = damages.length > 0 && random.below(4) === 0 ? random.pick<string>(damages) : '';
	// What git looks at to tell whether a file is binary, and what is behind it.
	const padding = damage && random.below(2) === 0 ? 'p'.repeat(9000) : '';
	const rest = Buffer.concat([encode(padding), Buffer.from(damage, 'hex')]);
	return {
		lines,
		encode,
		mark: Buffer.from(mark, 'hex'),
		rest,
		newWords: 'words' in given ? given.words : ['new', '🙂', '\t', ''],
	};
}

/** Draws what a model asks for, who sees lines that end with LF: a part of the lines, with the line ends before and behind them. */
function drawEdit({lines, newWords}: ReturnType<typeof drawFile>, random: Random) {
	const ends = [...new Set(lines.map(({end}) => end))].filter(Boolean);
	const isCr = ends.join() === '\r';
	const asShown = (text: string) => text.replaceAll(isCr ? '\r' : '\r\n', '\n');
	const first = random.below(lines.length);
	const behind = Math.min(lines.length, first + 1 + random.below(3));
	const endOf = (line: Line | undefined) => (isCr || line?.end.endsWith('\n') ? (line?.end ?? '') : '');
	const lead = random.below(3) === 0 ? endOf(lines[first - 1]) : '';
	const trail = random.below(3) === 0 ? endOf(lines[behind - 1]) : '';
	const [before, after] = [join(lines.slice(0, first)), join(lines.slice(behind))];
	const end = lines[behind - 1]?.end ?? '';
	const part = join(lines.slice(first, behind));
	const word = random.pick<string>(newWords);
	return {
		head: before.slice(0, before.length - lead.length),
		old: asShown(lead + part.slice(0, part.length - end.length) + trail),
		next: random.pick([word, `${word}\n${word}2`, `\n${word}`, `${word}\n`, `\n\n${word}\n`]),
		tail: trail ? after : end + after,
		/** The end of new lines; undefined if the file has several. */
		end: ends.length > 1 ? undefined : (ends[0] ?? '\n'),
	};
}

test(`a change of an odd file is the asked one alone or refused, and can be undone (seed ${drawnSeed})`, async () => {
	const random = createRandom(drawnSeed);
	const {root, workspace, read, edit, write, places, path} = await openTools();
	for (let index = 0; index < 25; index++) {
		const file = drawFile(random);
		const {head, old, next, tail, end} = drawEdit(file, random);
		const before = Buffer.concat([file.mark, file.encode(join(file.lines)), file.rest]);
		const folder = `${index}${random.pick(folders)}`;
		const name = `${folder}/${random.pick(names)}`;
		const isLink = random.below(4) === 0;
		const isWhole = end !== undefined && file.rest.length === 0 && random.below(4) === 0;
		const real = isLink ? `${folder}/real` : name;
		await mkdir(dirname(path(name)));
		await writeFile(path(real), before);
		await chmod(path(real), random.pick([0o644, 0o755, 0o600, 0o640, 0o664, 0o700]));
		await (isLink ? symlink('real', path(name)) : undefined);
		const facts = async () => {
			const {mode, uid, gid} = await lstat(path(real));
			return [mode, uid, gid, (await lstat(path(name))).isSymbolicLink()];
		};
		const factsBefore = await facts();

		const work = await startAgentIn({root, workspace, stateFolder: places.stateFolder}, randomUUID());
		const call = randomUUID();
		work.record(await work.tracker.before(call, {kind: 'edit', path: path(real)}, signal));
		const changing = read(name).then(() =>
			isWhole ? write(name, `${file.mark.length > 0 ? '\uFEFF' : ''}${next}`) : edit(name, old, next),
		);
		const refusal = await changing.then(
			() => undefined,
			(error: unknown) => error,
		);
		work.record(await work.tracker.after(call));

		const after = await readFile(path(real));
		const shown = [before, after].map(bytes => bytes.subarray(0, 400).toString('latin1'));
		const what = JSON.stringify({index, name, old, next, isWhole, shown, rest: file.rest.subarray(-3)}).slice(0, 3000);
		expect(await facts(), what).toEqual(factsBefore);
		if (refusal) {
			expect([refusal instanceof AppError, after.equals(before)], `${what} ${refusal}`).toEqual([true, true]);
			expect(file.rest.length > 0 || isWhole, `${what} ${refusal}`).toBe(true);
			continue;
		}

		const given = end === undefined ? undefined : file.encode(next.replaceAll('\n', end));
		const [start, rest] = isWhole
			? [file.mark, Buffer.alloc(0)]
			: [Buffer.concat([file.mark, file.encode(head)]), Buffer.concat([file.encode(tail), file.rest])];
		const middle = after.subarray(start.length, after.length - rest.length);
		expect(Buffer.concat([start, given ?? middle, rest]).equals(after), what).toBe(true);
		expect((await work.undo()).failed).toEqual([]);
		expect([await facts(), (await readFile(path(real))).equals(before)], what).toEqual([factsBefore, true]);
	}
});

test.each([
	['LF behind the CR of a line end', 'a\r\nb\r\n', '\nb', '\nc\nd', 'a\r\nc\r\nd\r\n'],
	['lines that end with CR', 'a\rb\r', 'a\nb', 'c\nd', 'c\rd\r'],
	['NUL characters of the file', `a\n${'-'.repeat(9000)}\0`, 'a', 'b', `b\n${'-'.repeat(9000)}\0`],
	['marks that a file has twice', '\uFEFF\uFEFFa', 'a', 'b', '\uFEFF\uFEFFb'],
])('an edit keeps %s', async (_, before, old, next, after) => {
	const {read, edit, text} = await openTools({'a.txt': before});
	await read('a.txt');
	await edit('a.txt', old, next);
	expect(await text('a.txt')).toBe(after);
});

test('what no tool can open is refused with what to do, and nothing is created beside it', async () => {
	const {workspace, read, write, path, places, context} = await openTools();
	await writeFile(Buffer.concat([Buffer.from(`${workspace}/caf`), Buffer.from([0xe9])]), 'needle\n');
	await symlink('nowhere', path('link'));
	await expect(read('caf\uFFFD')).rejects.toThrow("its name isn't UTF-8");
	await expect(write('caf\uFFFD', 'x')).rejects.toThrow("its name isn't UTF-8");
	await expect(write('link', 'x')).rejects.toThrow('“link” is a link that leads to no file.');
	const [first, ...others] = (await createSearchText(places).run({pattern: 'needle'}, context)).split('\n');
	expect([first, others]).toEqual([
		'[no matches]',
		["[not searched, because names that aren't UTF-8 can't be opened: caf\uFFFD]"],
	]);
});

test('a file with other names keeps the old content under those, and the model is told', async () => {
	const {read, edit, text, path} = await openTools({'a.txt': 'a\n'});
	await link(path('a.txt'), path('other.txt'));
	await read('a.txt');
	expect(await edit('a.txt', 'a', 'b')).toBe(
		'Changed a.txt (+1 -1 lines). Its other names (hard links) keep the old content.',
	);
	expect([await text('a.txt'), await text('other.txt')]).toEqual(['b\n', 'a\n']);
});

test.runIf(process.getuid?.() === 0)('a file of somebody else stays theirs', async () => {
	const {workspace, root, path, text} = await openTools({'a.txt': 'a\n'});
	await Promise.all([chmod(root, 0o755), chmod(workspace, 0o777), chmod(path('a.txt'), 0o666)]);
	onTestFinished(() => process.seteuid?.(0));
	process.seteuid?.(65_534);
	const bounds = {workspace, hidden: []};
	const target = {real: path('a.txt'), shown: 'a.txt', replaces: contentHash(Buffer.from('a\n'))};
	await replaceFile(target, Buffer.from('b\n'), {bounds, signal});
	const facts = async () => {
		const {uid, mode} = await lstat(path('a.txt'));
		return [await text('a.txt'), uid, mode & 0o777];
	};
	expect(await facts()).toEqual(['b\n', 0, 0o666]);

	const contents = new Map<string, Buffer>();
	const store: ContentStore = {
		async put(_, content) {
			contents.set(contentHash(content), content);
			return contentHash(content);
		},
		get: async (_, id) => contents.get(id) ?? Buffer.alloc(0),
	};
	const [wanted, current] = await Promise.all(
		['a\n', 'b\n'].map(async each => fileEntry(await store.put('blob', Buffer.from(each)), 0o666)),
	);
	await restoreFile({path: 'a.txt', current, wanted}, store, bounds);
	expect(await facts()).toEqual(['a\n', 0, 0o666]);
});

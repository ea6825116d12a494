import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {parseJson} from '../../src/core/json.ts';
import {parseRecorded, type Recorded} from '../../src/core/session/event.ts';
import {reduceTranscript} from '../../src/core/session/reduce-transcript.ts';
import {blocksOf, emptyTranscript} from '../../src/core/session/transcript.ts';
import {folderSlug} from '../../src/storage/session-folder.ts';
import {connectedTo} from '../e2e/chat.ts';
import {runInProcess} from '../e2e/in-process.ts';
import {startModelHost} from '../e2e/model-host.ts';
import {folderWith} from '../e2e/program.ts';
import {createRandom, createTally, type Fault, type Random} from './fault.ts';

/** Sessions that the program of each of these days wrote: two runs with tools, files that changed, and a sub-agent where it had any. */
const folder = join(import.meta.dirname, '../fixtures/sessions');
const written = readdirSync(folder).map(name => ({name, text: readFileSync(join(folder, name), 'utf8')}));

const manners = [
	'as it was written',
	'cut by a kill',
	'with records of a newer version',
	'without its note of the folder',
] as const;

/** Returns the lines of a session as they may be found, and what is found behind the last whole one. */
function found(text: string, manner: (typeof manners)[number], random: Random) {
	const lines = text.trimEnd().split('\n');
	// Its first question stays.
	const at = 4 + random.below(lines.length - 4);
	switch (manner) {
		case 'cut by a kill':
			return {lines: lines.slice(0, at), torn: lines[at]?.slice(0, 1 + random.below(40)) ?? ''};
		case 'with records of a newer version': {
			const {seq: _, ...record} = JSON.parse(lines[at] ?? '');
			const next = JSON.stringify({...record, event: {type: 'thought-map', nodes: [1, 2]}});
			return {lines: lines.toSpliced(at, 0, next), torn: ''};
		}
		default:
			return {lines, torn: ''};
	}
}

const textOf = (records: readonly Recorded[]) =>
	records.flatMap(({event}) =>
		event.type === 'user-message' || (event.type === 'text-delta' && !event.text.startsWith('Calling'))
			? [event.text]
			: [],
	);

export const versions: Fault = {
	name: 'sessions that each earlier version wrote, whole, cut, or with records of a newer one: shown, listed, exported and continued, and no byte of them changed',
	rules: [17],
	amounts: {test: written.length, full: 200},
	async run({seed, amount}) {
		const random = createRandom(seed);
		const tally = createTally();
		const host = await startModelHost();
		const {env, args} = connectedTo(host);
		for (let turn = 0; turn < amount; turn += 1) {
			const {name, text} = written[turn % written.length] ?? random.pick(written);
			const manner = random.pick(manners);
			const {lines, torn} = found(text, manner, random);
			await tally.attempt(`${name} ${manner}, ${lines.length} lines`, async () => {
				const home = join(folderWith(), 'home');
				const workspace = folderWith();
				const records = lines.flatMap(line => parseRecorded(parseJson(line)) ?? []);
				const id = records[0]?.session ?? '';
				const place = join(home, 'sessions', folderSlug(workspace));
				mkdirSync(place, {recursive: true, mode: 0o700});
				if (manner !== 'without its note of the folder') {
					writeFileSync(join(place, 'folder.json'), `${JSON.stringify({folder: workspace})}\n`, {mode: 0o600});
				}

				const path = join(place, `${id}.jsonl`);
				const whole = `${lines.join('\n')}\n`;
				writeFileSync(path, `${whole}${torn}`, {mode: 0o600});
				const at = {home, folder: workspace, env};
				const listed = await runInProcess(['sessions', '--json'], at);
				const exported = await runInProcess(
					['export', '--session', id, '--format', random.pick(['markdown', 'json', 'html', 'events'])],
					at,
				);
				const ended = await runInProcess([...args, '--resume', id, '-p', 'And now?'], at);
				const asked = host.chats().at(-1)?.join('\n') ?? '';
				const shown = records.reduce(reduceTranscript, emptyTranscript(id));
				const saved = readFileSync(path, 'utf8');
				const problems = [
					[records.length === lines.length - (manner === 'with records of a newer version' ? 1 : 0), 'unread records'],
					[listed.status === 0 && listed.stdout.includes(id), `isn't listed: ${listed.stdout}${listed.stderr}`],
					[exported.status === 0, `can't be exported: ${exported.stdout}${exported.stderr}`],
					[ended.status === 0 && ended.stdout.includes('Hello from the host.'), `isn't continued: ${ended.stderr}`],
					[saved.startsWith(whole) && saved.length > whole.length, 'its file was changed'],
					[textOf(records).every(piece => asked.includes(piece)), `the model isn't told of it: ${asked}`],
					[blocksOf(shown).filter(({kind}) => kind === 'user').length >= 1, 'its question is not shown'],
				] as const;
				const wrong = problems.filter(([holds]) => !holds).map(([, problem]) => problem);
				if (wrong.length > 0) {
					throw new Error(wrong.join('; '));
				}
			});
		}

		return tally.figure();
	},
};

import {readFileSync, writeFileSync, writeSync} from 'node:fs';
import {join} from 'node:path';
import process from 'node:process';
import {createChangeStores} from '../../src/agent/changes/change-store.ts';
import {createChangeTracker} from '../../src/agent/changes/change-tracker.ts';
import {createChanges} from '../../src/agent/changes/changes.ts';
import {readSteps, redoOf} from '../../src/core/session/changes.ts';
import type {AgentEvent, Recorded} from '../../src/core/session/event.ts';
import {openJournal} from '../../src/storage/journal.ts';
import {createRandom} from './fault.ts';
import {changesIn} from './undone-changes.ts';

// Run as a process of its own by undo.ts: an agent edits files, and the user undoes and redoes that, each as it is recorded. Writes
// which files come next, and what all files have once that is done. It ends when it is killed, or after `count` of them.
const [folder = '', stateFolder = '', path = '', session = '', seed = '', count = ''] = process.argv.slice(2);
const names = ['a.txt', 'b.txt', 'c.txt'];
const random = createRandom(Number(seed));
const {signal} = new AbortController();
const opened = await openJournal({id: session, path});
let seq = opened.nextSeq;
const events = changesIn(opened.records);

/** Records an event, and waits until it is saved, as the program does. */
async function record(recorded: readonly AgentEvent[]): Promise<void> {
	for (const event of recorded) {
		const record: Recorded = {v: 1, seq, at: new Date().toISOString(), session, server: 'local', event};
		seq += 1;
		opened.journal.append(record);
		events.push(...changesIn([record]));
	}

	await opened.journal.settle();
}

const places = {stateFolder, homeFolder: `${stateFolder}/home`};
const openStore = createChangeStores(stateFolder);
const changes = createChanges({folder, places, openStore});
const tracker = createChangeTracker({
	...{session, workspace: () => folder, places, openStore},
	emit: event => void record([event]),
});
const say = (line: object) => writeSync(1, `${JSON.stringify(line)}\n`);
const steps = () => readSteps(events, () => 'message');
const texts = () => Object.fromEntries(names.map(name => [name, readFileSync(join(folder, name), 'utf8')]));

/** Changes a file as a tool does, or all of them as a command does. */
async function edit(turn: number): Promise<void> {
	const call = `call-${seq}-${turn}`;
	const name = random.pick([...names, 'all']);
	const path = name === 'all' ? undefined : name;
	const act =
		path === undefined
			? ({kind: 'command', command: 'x', folder, containment: 'none'} as const)
			: ({kind: 'edit', path: join(folder, path)} as const);
	say({next: path === undefined ? names : [path]});
	await record(await tracker.before(call, act, signal));
	for (const changed of path === undefined ? names : [path]) {
		writeFileSync(join(folder, changed), `${call}\n`.repeat(1 + random.below(2000)));
	}

	await record(await tracker.after(call));
}

async function restore(how: 'undo' | 'redo'): Promise<void> {
	const undone =
		how === 'redo'
			? redoOf(steps())
			: new Set(steps().flatMap(({by, undoneBy, id}) => (by === 'agent' && undoneBy === undefined ? [id] : [])));
	const plan = await changes.plan(steps(), undone, signal);
	say({next: plan.files.map(({path}) => path)});
	const {event, failed} = await changes.apply(plan, () => 'old', {id: `${how}-${seq}`, session, how, signal});
	if (failed.length > 0) {
		throw new Error(failed.join(', '));
	}

	await record(event ? [event] : []);
	say({done: how});
}

const finished = await changes.finish(session, events, signal);
await record(finished?.event ? [finished.event] : []);
say({files: texts()});
for (let turn = 0; turn < Number(count); turn += 1) {
	const kind = random.pick(['edit', 'edit', 'edit', 'undo', 'redo'] as const);
	await (kind === 'edit' ? edit(turn) : restore(kind));
	say({files: texts()});
}

await tracker.close();
await opened.journal.close();

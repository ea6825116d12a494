import {createChangeStores} from '../../src/agent/changes/change-store.ts';
import {createChanges} from '../../src/agent/changes/changes.ts';
import {objectsIn} from '../../src/agent/changes/tree.ts';
import {readSteps} from '../../src/core/session/changes.ts';
import type {Recorded} from '../../src/core/session/event.ts';

const {signal} = new AbortController();

/** The events of file changes in these records. */
export const changesIn = (records: readonly Recorded[]) =>
	records.flatMap(({event}) => (event.type === 'checkpoint' || event.type === 'restore' ? [event] : []));

type Undone = {
	/** Files that need no question: nobody but the agent changed them. */
	readonly ready: readonly string[];
	/** Files that the user is asked about: the program ended in the middle of their change. */
	readonly asked: readonly string[];
};

/**
 * Takes back all that a session changed in a folder, as the next start does. Throws if a content that its records name can't be
 * read, or a file can't be restored.
 */
export async function undoAll(
	{folder, stateFolder, session}: {readonly folder: string; readonly stateFolder: string; readonly session: string},
	records: readonly Recorded[],
): Promise<Undone> {
	const openStore = createChangeStores(stateFolder);
	const store = await openStore(folder);
	const events = changesIn(records);
	for (const event of events) {
		for (const tree of event.type === 'checkpoint' ? [event.tree] : [event.before, event.after]) {
			await readTree(store, tree);
		}
	}

	await objectsIn(store, await store.ref(session), new Set());
	const changes = createChanges({folder, places: {stateFolder, homeFolder: `${stateFolder}/home`}, openStore});
	const finished = await changes.finish(session, events, signal);
	const steps = readSteps([...events, ...(finished?.event ? [finished.event] : [])], () => 'message');
	const inEffect = steps.filter(({by, undoneBy}) => by === 'agent' && undoneBy === undefined);
	const plan = await changes.plan(steps, new Set(inEffect.map(({id}) => id)), signal);
	const {failed} = await changes.apply(plan, () => 'old', {id: 'undo', session, how: 'undo', signal});
	const lost = plan.files.filter(({state}) => state === 'lost').map(({path}) => `${path} is lost`);
	if (failed.length > 0 || lost.length > 0) {
		throw new Error([...failed, ...lost].join(', '));
	}

	const inState = (...states: readonly string[]) =>
		plan.files.filter(({state}) => states.includes(state)).map(({path}) => path);
	return {ready: inState('ready', 'done'), asked: inState('changed')};
}

/** Reads a tree with all that it names. Throws AppError("not-found") if a part is missing or damaged. */
async function readTree(store: Awaited<ReturnType<ReturnType<typeof createChangeStores>>>, id: string): Promise<void> {
	const content = await store.get('tree', id);
	for (let at = 0; at < content.length; ) {
		const end = content.indexOf(0, at);
		const [mode] = content.toString('latin1', at, end).split(' ', 1);
		const child = content.toString('hex', end + 1, end + 21);
		at = end + 21;
		await (mode === '40000' ? readTree(store, child) : store.get('blob', child));
	}
}

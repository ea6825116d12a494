import {randomUUID} from 'node:crypto';
import {mkdir, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import type {RestoreChoice, Restored} from '../../../src/agent/changes/apply-restore.ts';
import {createChangeStores} from '../../../src/agent/changes/change-store.ts';
import {createChangeTracker} from '../../../src/agent/changes/change-tracker.ts';
import {createChanges} from '../../../src/agent/changes/changes.ts';
import type {RestorePlan} from '../../../src/agent/changes/plan-restore.ts';
import type {ReviewedFile} from '../../../src/agent/changes/review.ts';
import {readSteps, redoOf} from '../../../src/core/session/changes.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {makeWorkspace} from '../tools/workspace.ts';

export const {signal} = new AbortController();
const firstSession = '11111111-2222-4333-8444-555555555555';

/** Creates a working folder with an agent that changes files there, and what takes its changes back. */
export async function startAgentAtWork(files: Parameters<typeof makeWorkspace>[0] = {}) {
	return startAgentIn(await makeWorkspace(files), firstSession);
}

/** Does the same in a folder that another agent may work in, too. */
export async function startAgentIn(
	{root, workspace, stateFolder}: Pick<Awaited<ReturnType<typeof makeWorkspace>>, 'root' | 'workspace' | 'stateFolder'>,
	session: string,
) {
	const places = {stateFolder, homeFolder: join(root, 'home')};
	const openStore = createChangeStores(stateFolder);
	const changes = createChanges({folder: workspace, places, openStore});
	const events: Extract<AgentEvent, {type: 'checkpoint' | 'restore'}>[] = [];
	const messages = new Map<string, string>();
	const steps = () => readSteps(events, call => messages.get(call) ?? '');
	let message = 'message-1';
	const notices: string[] = [];

	const record = (recorded: readonly AgentEvent[]) => {
		for (const event of recorded) {
			if (event.type === 'checkpoint' || event.type === 'restore') {
				events.push(event);
				messages.set(event.id, messages.get(event.id) ?? message);
			} else if (event.type === 'notice') {
				notices.push(event.text);
			}
		}
	};
	const emit = (event: AgentEvent) => record([event]);
	const tracker = createChangeTracker({session, workspace: () => workspace, places, openStore, emit});
	const apply = async (
		plan: RestorePlan,
		how: 'undo' | 'redo' | 'rewind',
		choice: RestoreChoice,
		interrupted = signal,
	): Promise<Restored> => {
		const request = {id: randomUUID(), session, how, signal: interrupted};
		const restored = await changes.apply(plan, () => choice, request);
		record(restored.event ? [restored.event] : []);
		if (restored.event) {
			await tracker.restored(restored.event);
		}

		return restored;
	};

	return {
		...{root, workspace, stateFolder, changes, tracker, openStore, notices, record, events},
		steps,
		/** Begins the next message of the user. */
		say(id: string) {
			message = id;
		},
		/** Changes a file as edit_file does. */
		async edit(path: string, content: string | Buffer, kind: 'edit' | 'edit-secret' = 'edit') {
			const call = randomUUID();
			record(await tracker.before(call, {kind, path: join(workspace, path)}, signal));
			await mkdir(dirname(join(workspace, path)), {recursive: true});
			await writeFile(join(workspace, path), content);
			record(await tracker.after(call));
		},
		/** Does what a command would do. */
		async run(command: () => Promise<unknown>) {
			const call = randomUUID();
			const act = {kind: 'command', command: 'x', folder: workspace, containment: 'none'} as const;
			record(await tracker.before(call, act, signal));
			await command();
			record(await tracker.after(call));
		},
		/** Starts a job, as a command in the background does. Returns what ends it. */
		async startJob(id: string) {
			const call = randomUUID();
			const act = {kind: 'command', command: 'x', folder: workspace, containment: 'none'} as const;
			record(await tracker.before(call, act, signal));
			let end: () => void = () => undefined;
			const done = new Promise<void>(resolve => {
				end = resolve;
			});
			tracker.jobStarted({id, done});
			record(await tracker.after(call));
			return async () => {
				end();
				await done;
				// The end of the job comes first.
				await tracker.after('none');
			};
		},
		async planUndo() {
			return changes.plan(steps(), await changes.lastOf(steps(), signal), signal);
		},
		/** `interrupted` is the signal of Esc while files are restored. */
		async undo(choice: RestoreChoice = 'mine', interrupted?: AbortSignal) {
			const plan = await changes.plan(steps(), await changes.lastOf(steps(), signal), signal);
			return apply(plan, 'undo', choice, interrupted);
		},
		async redo(choice: RestoreChoice = 'mine', interrupted?: AbortSignal) {
			return apply(await changes.plan(steps(), redoOf(steps()), signal), 'redo', choice, interrupted);
		},
		review: (): Promise<readonly ReviewedFile[]> => changes.review(steps(), signal),
		async takeBack(...parts: Parameters<typeof changes.takeBack>[0]) {
			const restored = await changes.takeBack(parts, {id: randomUUID(), session, how: 'diff', signal});
			record(restored.event ? [restored.event] : []);
			return restored;
		},
	};
}

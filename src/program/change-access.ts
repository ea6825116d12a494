import type {ChangeTracker} from '../agent/changes/change-tracker.ts';
import type {Changes} from '../agent/changes/changes.ts';
import {once} from '../core/once.ts';
import type {AgentEvent} from '../core/session/event.ts';
import type {LocalState} from './local-state.ts';

/** Access to the saved changes of the working folder. Its modules are loaded with the first change. */
export type ChangeAccess = {
	/** Returns what saves the changes of a session, which may continue another one. `emit` records what belongs to no call. */
	readonly track: (session: string, emit: (event: AgentEvent) => void, parent?: string) => ChangeTracker;
	/** Returns the changes in the working folder. */
	readonly open: () => Promise<Changes>;
};

export function createChangeAccess({home, folder}: LocalState): ChangeAccess {
	const places = {stateFolder: home.path};
	const stores = once(async () => {
		const {createChangeStores} = await import('../agent/changes/change-store.ts');
		return createChangeStores(home.path);
	});

	return {
		track(session, emit, parent) {
			let tracker: Promise<ChangeTracker> | undefined;
			const load = async () => {
				const {createChangeTracker} = await import('../agent/changes/change-tracker.ts');
				return createChangeTracker({
					session,
					parent,
					emit,
					places,
					workspace: folder.path,
					openStore: await stores(),
				});
			};
			return {
				async before(...step) {
					tracker ??= load();
					return (await tracker).before(...step);
				},
				after: async call => (await tracker)?.after(call) ?? [],
				end: async () => (await tracker)?.end() ?? [],
				jobStarted(job) {
					void tracker?.then(loaded => loaded.jobStarted(job));
				},
				restored: async event => (await tracker)?.restored(event),
				close: async () => (await tracker)?.close(),
			};
		},
		async open() {
			const {createChanges} = await import('../agent/changes/changes.ts');
			return createChanges({folder: folder.path(), places, openStore: await stores()});
		},
	};
}

import {aboutOf} from '../session/conversations.ts';
import type {FolderAgent, FolderAgents} from '../storage/folder-agents.ts';
import type {AppState, AppStore} from '../store/store.ts';

type Options = {
	readonly store: AppStore;
	/** Opens what other processes read. */
	readonly open: () => Promise<Pick<FolderAgents, 'announce'>>;
	/** Masks credentials. */
	readonly hide: (text: string) => string;
};

/** Keeps other processes in the folder informed which agents of this one work there. Returns a function that ends it. */
export function announceAgents({store, open, hide}: Options): () => Promise<void> {
	let told = '[]';
	const tell = (state: AppState) => {
		const working = agentsIn(state).map(({about, ...each}) => ({...each, about: hide(about)}));
		const text = JSON.stringify(working);
		if (text !== told) {
			told = text;
			void open().then(({announce}) => announce(working));
		}
	};
	const unsubscribe = store.subscribe((state, before) => {
		const isSame =
			state.transcript.run === before.transcript.run &&
			state.transcript.title === before.transcript.title &&
			state.manner === before.manner &&
			state.background === before.background;
		if (!isSame) {
			tell(state);
		}
	});
	return async () => {
		unsubscribe();
		if (told !== '[]') {
			await (await open()).announce([]);
		}
	};
}

function agentsIn({transcript, manner, background}: AppState): readonly FolderAgent[] {
	const front = transcript.run
		? [{about: aboutOf(transcript), state: manner === 'asks' ? ('waiting' as const) : ('running' as const)}]
		: [];
	return [...front, ...background.flatMap(({about, state}) => (state === 'ended' ? [] : [{about, state}]))];
}

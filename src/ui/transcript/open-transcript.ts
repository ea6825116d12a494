import type {AppStore} from '../../store/store.ts';
import type {CopyWay} from '../../terminal/clipboard.ts';
import type {Palette} from '../../terminal/text/style.ts';
import type {FullScreen} from '../screen/full-screen.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly palette: Palette;
	readonly fullScreen: FullScreen;
	readonly suspend: () => void;
	readonly copy: (text: string) => CopyWay | undefined;
	readonly keepCopy: (text: string) => Promise<string | undefined>;
	readonly openLogAt: (at: number, environment: unknown) => boolean;
	/** Selects the tool call of this moment (ms since the epoch). By default the end is shown. */
	readonly at?: number;
};

/** Shows the whole transcript in the window, and updates it as it grows. */
export async function openTranscript({store, fullScreen, ...others}: Dependencies): Promise<void> {
	const [{createTranscriptView}, {renderMarkdown}] = await Promise.all([
		import('./transcript-view.ts'),
		import('../../terminal/markdown/markdown.ts'),
	]);
	const {invalidate, close, redraw} = fullScreen;
	const unsubscribe = store.subscribe(({transcript}, before) => {
		if (transcript !== before.transcript) {
			invalidate();
		}
	});
	const transcript = () => store.getState().transcript;
	const ownKeys = () => store.getState().ownKeys;
	const view = createTranscriptView({...others, ownKeys, transcript, renderMarkdown, invalidate, close, redraw});
	fullScreen.open({...view, onClose: unsubscribe});
}

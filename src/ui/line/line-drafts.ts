import {expandedText, setComposerText} from '../../editor/editor.ts';
import {safeText} from '../../terminal/text/safe-text.ts';
import type {LineTerminal} from '../line-terminal.ts';
import {followDrafts} from '../prompt/keep-drafts.ts';

type Dependencies = Parameters<typeof followDrafts>[0] & {
	readonly terminal: Pick<LineTerminal, 'say' | 'unfinished'>;
};

/** How a text in the prompt, which is not visible here, is sent. */
export const howToSend = 'Press Enter to send it, or type another message.';

/**
 * Brings back the draft of the last app in this folder and says so, and keeps what isn't sent for the next one. A convenience:
 * it never throws. Returns a function that saves the last changes, and what was typed without Enter.
 */
export async function keepLineDrafts({terminal, ...dependencies}: Dependencies): Promise<() => Promise<void>> {
	const {store} = dependencies;
	const stop = await followDrafts(dependencies).catch(() => undefined);
	const {composer, toast} = store.getState();
	if (stop && composer.text) {
		terminal.say(`${toast} ${howToSend}\n${safeText(expandedText(composer))}`);
	}

	return async () => {
		const typed = await terminal.unfinished();
		if (typed.trim()) {
			const state = store.getState();
			state.setComposer(setComposerText(state.composer, typed));
		}

		await stop?.().catch(() => undefined);
	};
}

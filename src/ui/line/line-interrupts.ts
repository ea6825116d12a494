import type {Surroundings} from '../../command/program.ts';
import {isWorking} from '../../store/session-slice.ts';
import type {AppStore} from '../../store/store.ts';
import type {LineTerminal} from '../line-terminal.ts';
import type {OpenedConversation} from '../open-conversation.ts';
import {endsWithApp} from '../quit-words.ts';

type Parts = {
	readonly store: AppStore;
	readonly terminal: Pick<LineTerminal, 'say' | 'prompt'>;
	readonly opened: Pick<OpenedConversation, 'interrupt'>;
};

type Interrupts = Pick<Surroundings, 'onInterrupt'> & {readonly quit: () => void};

/**
 * Interrupts a run or a command on Ctrl+C. Otherwise the terminal drops what was typed without Enter, as in a shell: the first
 * Ctrl+C says so, and what ends with the app, and the second one quits. SIGTERM quits at once. Returns a function that is
 * called when a line is entered: the next Ctrl+C is the first one again.
 */
export function followInterrupts({store, terminal, opened}: Parts, {onInterrupt, quit}: Interrupts): () => void {
	let warned = '';
	onInterrupt(signal => {
		const ends = endsWithApp(store.getState());
		const warning = ['Line cleared.', ...(ends ? [ends] : []), 'Press Ctrl+C again to quit.'].join(' ');
		if (isWorking(store.getState())) {
			opened.interrupt();
			warned = '';
			return 'go on';
		}

		if (signal !== 'SIGTERM' && warning !== warned) {
			terminal.say(`\n${warning}`);
			terminal.prompt();
			warned = warning;
			return 'go on';
		}

		quit();
		return 'end';
	});
	return () => {
		warned = '';
	};
}

import type {Surroundings} from '../../command/program.ts';
import type {AppStore} from '../../store/store.ts';
import type {LineTerminal} from '../line-terminal.ts';
import type {OpenedConversation} from '../open-conversation.ts';
import {endsWithApp} from '../quit-words.ts';

type Parts = {
	readonly store: AppStore;
	readonly terminal: Pick<LineTerminal, 'say' | 'prompt'>;
	readonly opened: Pick<OpenedConversation, 'interrupt'>;
};

type Interrupts = Pick<Surroundings<never>, 'onInterrupt'> & {readonly quit: () => void};

/** True while a run or a command is at work. */
export function isWorking(store: AppStore): boolean {
	const {transcript, busy} = store.getState();
	return transcript.run !== undefined || busy;
}

/**
 * Interrupts a run or a command on Ctrl+C, and otherwise quits: if that ends more than the app, at the second Ctrl+C. `warned`
 * is what was said at the first one.
 */
export function interruptOrQuit(parts: Parts, {onInterrupt, quit}: Interrupts, warned = ''): void {
	const {store, terminal, opened} = parts;
	onInterrupt(signal => {
		const ends = signal === 'SIGTERM' ? '' : endsWithApp(store.getState());
		if (isWorking(store)) {
			opened.interrupt();
			interruptOrQuit(parts, {onInterrupt, quit});
		} else if (ends !== '' && ends !== warned) {
			terminal.say(`\n${ends} Press Ctrl+C again to quit.`);
			terminal.prompt();
			interruptOrQuit(parts, {onInterrupt, quit}, ends);
		} else {
			quit();
		}
	});
}

import type {About, BrowserLogin, Choice, FilterField} from '../store/view-slice.ts';

/** Questions to the user; the app asks in a panel, the shell on its terminal or standard input. */
export type Interaction = {
	/**
	 * One line of text, undefined when the person cancels. `masked` hides what is typed; `optional` is for a question that
	 * nothing may answer, also where nobody can be asked: otherwise `usage` is thrown there.
	 */
	readonly ask: (field: {
		readonly label: string;
		readonly masked: boolean;
		readonly optional?: boolean;
	}) => Promise<string | undefined>;
	/** The `id` of one choice, undefined when the person cancels. Throws `usage` where nobody can be asked. */
	readonly choose: (pick: {
		readonly title: string;
		readonly choices: readonly Choice[];
		readonly current?: string;
		/** What may be typed besides words to narrow the list, where the choices have fields. */
		readonly filters?: readonly FilterField[];
	}) => Promise<string | undefined>;
	/** True for yes. What is to be known first is shown above the question. */
	readonly confirm: (question: string, about?: About) => Promise<boolean>;
	/** The first line that is piped in, '' for none. Left out where a person sits at the keyboard. */
	readonly piped?: () => Promise<string>;
	/**
	 * Shows where and with which code the user logs in, until the returned function is called. Calls `cancel` if they
	 * cancel.
	 */
	readonly showLogin: (login: BrowserLogin, cancel: () => void) => () => void;
	/** Prints a sentence at once, without ending the command. */
	readonly say: (text: string) => void;
	/** Writes a line as it is, for programs that read along. Left out where a screen would be spoilt by it. */
	readonly log?: (line: string) => void;
	/** One line that the next one replaces, '' for none. Left out where nobody watches. */
	readonly progress?: (text: string) => void;
};

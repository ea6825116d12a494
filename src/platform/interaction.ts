import type {ReviewedFile, TakenBack} from '../agent/changes/review.ts';
import type {About, Answer, BrowserLogin, Choice, FilterField} from '../core/question.ts';
import type {CopyWay} from '../terminal/clipboard.ts';
import type {SubjectDrawing} from '../terminal/text/drawing.ts';

/** A question of the program itself. */
export type Inquiry = {
	readonly question: string;
	readonly about?: About;
	/** What it is about, drawn exactly. */
	readonly subject?: SubjectDrawing;
	readonly answers: readonly Answer[];
	/** The value of the answer that Enter gives at first in a panel; no by default. */
	readonly marks?: string | undefined;
	/** Called once the user sees the question, perhaps again when they see it again. */
	readonly onShown?: (() => void) | undefined;
	/** True if a run waits for the answer: Ctrl+C refuses it and interrupts the run. */
	readonly isOfRun?: boolean | undefined;
};

/** Questions and messages of a command to the user. The app asks in a panel, the shell on its terminal or standard input. */
export type Interaction = {
	/**
	 * Returns a line of text; undefined if the user cancels. `masked` hides the typed text. With `optional` the answer may be
	 * empty. Throws AppError("usage") if the user can't be asked and the answer isn't optional.
	 */
	readonly ask: (field: {
		readonly label: string;
		readonly masked: boolean;
		readonly optional?: boolean;
	}) => Promise<string | undefined>;
	/** Returns the `id` of a choice; undefined if the user cancels. Throws AppError("usage") if they can't be asked. */
	readonly choose: (pick: {
		readonly title: string;
		readonly choices: readonly Choice[];
		/** Choices that join the end of the list, each part once it is known. None rejects. */
		readonly more?: ReadonlyArray<Promise<readonly Choice[]>>;
		readonly current?: string;
		/** The choice that the list opens at, if not the current one. */
		readonly opensAt?: string | undefined;
		/** True if no command or key of the user opened it: keys that they are pressing answer nothing. */
		readonly opensItself?: boolean;
		/** Filters that narrow the list, if the choices have fields. */
		readonly filters?: readonly FilterField[];
	}) => Promise<string | undefined>;
	/** Returns true for yes. `about` and `drawing` are shown above the question. */
	readonly confirm: (question: string, about?: About, drawing?: SubjectDrawing) => Promise<boolean>;
	/**
	 * Asks a question of the program itself, once no other question is open, and again if another one displaces it. Returns
	 * the value of the answer, or undefined for no. An abort closes the question and throws the signal's reason. Left out
	 * without a screen.
	 */
	readonly inquire?: (inquiry: Inquiry, signal: AbortSignal) => Promise<string | undefined>;
	/**
	 * Shows changes of files in the whole window. Returns what to take back; undefined if the user closes it. Left out
	 * without a screen.
	 */
	readonly review?: (review: {
		readonly title: string;
		readonly files: readonly ReviewedFile[];
		/** True if nothing can be taken back. */
		readonly isReadOnly?: boolean;
	}) => Promise<readonly TakenBack[] | undefined>;
	/**
	 * Opens a file in the user's editor, which has the terminal until it ends. Left out without a screen. Throws `AppError` if
	 * there is no editor, or it fails.
	 */
	readonly editFile?: (path: string) => Promise<void>;
	/** Copies as `copyTo` does. Left out without a screen. */
	readonly copy?: (text: string) => CopyWay | undefined;
	/** Returns the first line of a pipe, '' for none. Left out at a terminal. */
	readonly piped?: () => Promise<string>;
	/**
	 * Shows where and with which code the user logs in, until the returned function is called. Calls `cancel` if they
	 * cancel, `onPaste` if they want to paste the address that their browser ends on, and `onApiKey` if they have a key.
	 */
	readonly showLogin: (
		login: BrowserLogin & {readonly onPaste?: () => void; readonly onApiKey?: () => void},
		cancel: () => void,
	) => () => void;
	/**
	 * Asks a question of the program itself, once no other question is open. Returns true for yes; an abort closes the question
	 * and throws the signal's reason. `onShown` is that of an inquiry. Left out in a shell.
	 */
	readonly agree?: (question: string, about: About, signal: AbortSignal, onShown?: () => void) => Promise<boolean>;
	/** Prints a sentence at once, without ending the command. */
	readonly say: (text: string) => void;
	/** Writes a line unchanged, for programs that read it. Left out if it would disturb a screen. */
	readonly log?: (line: string) => void;
	/** Shows a line that the next one replaces; '' removes it. Left out without a terminal. */
	readonly progress?: (text: string) => void;
};

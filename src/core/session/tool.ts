import type {JsonObject} from '../json.ts';
import type {RedrawnOutput} from '../output/recorded-output.ts';
import type {StyledText, StyleRange} from '../output/text-styles.ts';
import type {Approval, ApprovalAnswer} from './approval.ts';
import type {CallWords} from './call-words.ts';
import type {FileChange, ShownImage, ToolFacts} from './event.ts';

/** A tool as described to the model. */
export type ToolDefinition = {
	readonly name: string;
	/** Its effect and when to use it, for the model. */
	readonly description: string;
	/** The JSON Schema of its arguments, an object schema. */
	readonly parameters: JsonObject;
	/**
	 * Returns a call in words, which travel with it: what draws it has no code of the tool. Undefined if the arguments don't fit.
	 * Left out for tools whose calls are in journals without words: `callWords` knows those.
	 */
	readonly words?: (args: JsonObject) => CallWords | undefined;
	/** True for one that a request carries only if its host takes fewer tools than there are. */
	readonly isFallback?: true;
};

/** What the user should know before a run, with what to do about it. */
export type RunWarning = {readonly text: string; readonly hint?: string};

/** What the agent gives a sub-agent to do. */
export type TaskRequest = {
	/** Everything that the sub-agent is told. */
	readonly prompt: string;
	/** The task in a few words, for the user. */
	readonly description: string;
	/** `provider/model-name`; that of the agent if left out. */
	readonly model?: string | undefined;
	/** True if it may change files and run commands, as far as the user allows. */
	readonly write: boolean;
};

export type ToolContext = {
	/** The only folder that tools may read and write, as an absolute real path. */
	readonly workspace: string;
	readonly signal: AbortSignal;
	/** Shows a piece of output while the tool runs. */
	readonly onOutput: (text: string, styles?: readonly StyleRange[], redrawn?: RedrawnOutput) => void;
	/** Reports the styles of an output, which the result contains in lines of its own. Only the screen draws them. */
	readonly onStyles?: (output: StyledText) => void;
	/** Shows the user something that isn't part of the output. A warning is printed without a screen, too. */
	readonly onNotice?: (text: string, more?: {readonly isWarning?: boolean; readonly hint?: string | undefined}) => void;
	/** Reports a change of a file, once it is written. */
	readonly onChange: (change: FileChange) => void;
	/** Reports what the tool knows of its result; what is reported last counts. */
	readonly onFacts?: (facts: ToolFacts) => void;
	/** Reports a job that goes on in the background after the call. `done` resolves when it has ended. */
	readonly onJob?: (job: {readonly id: string; readonly done: Promise<void>}) => void;
	/**
	 * Shows an image to the model. Resolves to false if this model doesn't see images of its type; left out if it sees none.
	 */
	readonly onImage?: (
		image: Pick<ShownImage, 'type' | 'width' | 'height' | 'pages'> & {readonly bytes: Buffer},
	) => Promise<boolean>;
	/** Asks for permission: rules, the mode, then the user. Throws `AppError("failed")` if no user can be asked. */
	readonly approve: (request: Approval) => Promise<ApprovalAnswer>;
	/** Runs a sub-agent and returns its answer; left out where none may be started. */
	readonly runTask?: (task: TaskRequest) => Promise<string>;
	/** The files that the model has read in this session: the hash of their content, by real path. */
	readonly readFiles: Map<string, string>;
};

/** A tool that the agent can run. */
export type Tool = ToolDefinition & {
	/** True if it changes nothing. Such calls run at the same time if they are adjacent. */
	readonly readOnly: boolean;
	/** Returns true for arguments with which a tool that is `readOnly` otherwise may change something. */
	readonly mayChange?: (args: JsonObject) => boolean;
	/**
	 * How the model reads what was left out of a long result: a sentence, or a function of the part left out.
	 */
	readonly readOn?: string | ((leftOut: string) => string);
	/**
	 * Returns the text for the model. Throws `AppError` if the model can fix the call (a wrong path, a missing
	 * argument): its message becomes a failed result.
	 */
	readonly run: (args: JsonObject, context: ToolContext) => Promise<string>;
};

import type {JsonObject} from '../json.ts';

/** A tool as described to the model. */
export type ToolDefinition = {
	readonly name: string;
	/** Its effect and when to use it, for the model. */
	readonly description: string;
	/** The JSON Schema of its arguments, an object schema. */
	readonly parameters: JsonObject;
};

export type ToolContext = {
	/** The only folder that tools may read, as an absolute real path. */
	readonly workspace: string;
	readonly signal: AbortSignal;
	/** Shows a piece of output while the tool runs. */
	readonly onOutput: (text: string) => void;
	/**
	 * Asks the user for permission; returns false for no. `summary` is the question, `subject` exactly what the answer
	 * covers.
	 */
	readonly approve: (request: {readonly summary: string; readonly subject: string}) => Promise<boolean>;
};

/** A tool that the agent can run. */
export type Tool = ToolDefinition & {
	/** True if it changes nothing. Such calls run at the same time if they are adjacent. */
	readonly readOnly: boolean;
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

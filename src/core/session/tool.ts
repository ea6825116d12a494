import type {JsonObject} from '../json.ts';

/** A tool as the model is told of it. */
export type ToolDefinition = {
	readonly name: string;
	/** What it does and when to use it, for the model. */
	readonly description: string;
	/** JSON Schema of its arguments, an object schema. */
	readonly parameters: JsonObject;
};

export type ToolContext = {
	/** The folder that the tools may see, an absolute real path. */
	readonly workspace: string;
	readonly signal: AbortSignal;
	/** Shows a piece of output while the tool still runs. */
	readonly onOutput: (text: string) => void;
	/**
	 * Asks the user before something that needs it; false for no. `summary` is the question, `subject` exactly what the
	 * answer is for.
	 */
	readonly approve: (request: {readonly summary: string; readonly subject: string}) => Promise<boolean>;
};

/** A tool that the agent can run. */
export type Tool = ToolDefinition & {
	/** True when it changes nothing: such calls that stand next to each other run at once. */
	readonly readOnly: boolean;
	/** How the model gets at what was left out of a result that was too long: a sentence, from what was left out. */
	readonly readOn?: string | ((leftOut: string) => string);
	/**
	 * Returns the text that the model reads. Throws `AppError` for what the model can put right (a wrong path, a missing
	 * argument): its message becomes a failed result.
	 */
	readonly run: (args: JsonObject, context: ToolContext) => Promise<string>;
};

/** A question of the agent, or of an MCP server. All of it is untrusted. */
export type UserQuestion = {
	readonly question: string;
	/** The answers to choose from; the user may also give another one. Empty for a question that is answered in words. */
	readonly choices: ReadonlyArray<{readonly label: string; readonly description?: string | undefined}>;
	/** Set for a step of a form: nothing but the choices, or a field. */
	readonly form?: {
		/** What the field begins with. */
		readonly initial: string;
		readonly mayBeEmpty: boolean;
		/** The choice that is marked at first, as it agrees to nothing; without one, no choice is. */
		readonly refusal?: string;
		/** True if it follows an answer of the user at once, so that keys answer it at once. */
		readonly isNext: boolean;
	};
};

/** Asks the user. Returns the answer, undefined if they decline. Throws the signal's reason if the run ends first. */
export type AskUser = (question: UserQuestion, signal: AbortSignal) => Promise<string | undefined>;

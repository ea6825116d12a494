/** A question of the agent. All of it is untrusted. */
export type UserQuestion = {
	readonly question: string;
	/** The answers to choose from; the user may also give another one. Empty for a question that is answered in words. */
	readonly choices: ReadonlyArray<{readonly label: string; readonly description?: string | undefined}>;
};

/** Asks the user. Returns the answer, undefined if they decline. Throws the signal's reason if the run ends first. */
export type AskUser = (question: UserQuestion, signal: AbortSignal) => Promise<string | undefined>;

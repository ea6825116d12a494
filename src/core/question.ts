/** One line of a picker. `id` is the answer; `label` and `detail` are shown and searched. */
export type Choice = {
	readonly id: string;
	readonly label: string;
	readonly detail?: string;
	/** True for one that leads to an answer that isn't in the list: it isn't counted. */
	readonly isOther?: boolean;
	/** The heading of the choices that belong together; they stand in the order of their first ones. */
	readonly group?: string;
	/** Finished ANSI lines that are shown below the list while this line is chosen. */
	readonly preview?: readonly string[];
	/** Values that typed filters compare, by the filter's name; `id` if it may be typed; times in milliseconds. */
	readonly fields?: Readonly<Record<string, string | number>>;
};

/** A typed filter of a picker, `name:value`. An age is compared with a time in milliseconds since the epoch. */
export type FilterField = {
	/** In lower case. */
	readonly name: string;
	readonly compares: 'text' | 'number' | 'age';
	/** A complete filter, to show the syntax. */
	readonly example: string;
	/** All values that the text can have. */
	readonly words?: readonly string[];
};

/** Facts that the user needs to answer a question. Untrusted. */
export type About = {
	readonly title?: string;
	readonly facts: ReadonlyArray<readonly [label: string, value: string]>;
};

/**
 * One way to answer a question besides no: the key, its label, and the value of the answer. One that `keeps` something beyond
 * this answer takes two keys: it says what, and for how long.
 */
export type Answer = {
	readonly key: string;
	readonly label: string;
	readonly value: string;
	readonly keeps?: {
		/** What is allowed from then on, each rule in words. All of it must have been in sight. */
		readonly rules: readonly string[];
		/** Where and until when, in words. */
		readonly life: string;
	};
};

/** Where the user approves a login (RFC 8628): a page to open and a code to enter there. */
export type BrowserLogin = {
	/** Origin of the server. */
	readonly server: string;
	/** Http or https. */
	readonly page: string;
	/** The page with the code filled in. */
	readonly pageWithCode: string;
	/** Empty for a login without one. */
	readonly code: string;
	/** When the code expires, in milliseconds since the epoch. */
	readonly expiresAt: number;
};

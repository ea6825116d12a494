/**
 * Returns a function that creates a value at its first call and returns the same one afterwards; a failure may be
 * retried. `make` gets a function that drops the value, so that the next call creates a new one.
 */
export function once<T>(make: (forget: () => void) => Promise<T>): () => Promise<T> {
	let made: Promise<T> | undefined;
	const forget = () => {
		made = undefined;
	};

	return () => {
		made ??= make(forget).catch(error => {
			forget();
			throw error;
		});
		return made;
	};
}

/** A value that is made when it is used first. */
export type Lazy<T> = {
	readonly get: () => T;
	/** Returns the value if it was made, for what follows or ends it; undefined before. */
	readonly made: () => T | undefined;
};

export function lazy<T extends object>(make: () => T): Lazy<T> {
	let value: T | undefined;
	return {
		get() {
			value ??= make();
			return value;
		},
		made: () => value,
	};
}

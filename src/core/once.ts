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

/**
 * Creates something when it is first asked for, and only then; a failure may be retried. `make` is given a function that
 * forgets what it made, so that the next one who asks has it created again.
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

/** Makes something when it is first asked for, and only then; a failure may be tried again. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
	let made: Promise<T> | undefined;
	return () => {
		made ??= make().catch(error => {
			made = undefined;
			throw error;
		});
		return made;
	};
}

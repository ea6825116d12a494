/** Carries values from callbacks to one reader, in order. */
export type Channel<Value> = AsyncIterable<Value> & {
	/** Hands on a value; after the end it is dropped. */
	readonly push: (value: Value) => void;
	/** Ends the reading after what was pushed; with an error, by throwing it. The first end counts. */
	readonly end: (failure?: {readonly error: unknown}) => void;
};

/** Creates a channel. It holds what was pushed until it is read, so the writer has to bound how much that is. */
export function createChannel<Value>(): Channel<Value> {
	const values: Value[] = [];
	let ended: {readonly failure: {readonly error: unknown} | undefined} | undefined;
	let wake = () => {};

	return {
		push(value) {
			if (!ended) {
				values.push(value);
				wake();
			}
		},
		end(failure) {
			ended ??= {failure};
			wake();
		},
		async *[Symbol.asyncIterator]() {
			while (values.length > 0 || !ended) {
				yield* values.splice(0);
				if (values.length === 0 && !ended) {
					await new Promise<void>(resolve => {
						wake = resolve;
					});
				}
			}

			if (ended.failure) {
				throw ended.failure.error;
			}
		},
	};
}

/** Carries values from callbacks to one reader, in order. */
type Channel<Value> = AsyncIterable<Value> & {
	/** Adds a value; after the end it is dropped. */
	readonly push: (value: Value) => void;
	/** Ends the channel after the pushed values, or throws the error there. Only the first call counts. */
	readonly end: (failure?: {readonly error: unknown}) => void;
};

/** Creates a channel. It buffers values without limit until they are read, so the writer must bound them. */
export function createChannel<Value>(): Channel<Value> {
	const values: Value[] = [];
	let ended: {readonly failure: {readonly error: unknown} | undefined} | undefined;
	let notify = () => {};

	return {
		push(value) {
			if (!ended) {
				values.push(value);
				notify();
			}
		},
		end(failure) {
			ended ??= {failure};
			notify();
		},
		async *[Symbol.asyncIterator]() {
			while (values.length > 0 || !ended) {
				yield* values.splice(0);
				if (values.length === 0 && !ended) {
					await new Promise<void>(resolve => {
						notify = resolve;
					});
				}
			}

			if (ended.failure) {
				throw ended.failure.error;
			}
		},
	};
}

/**
 * Starts work, and waits for its end, or until it hasn't called `progressed` for a while: it goes on beside what follows. Throws
 * what the work throws until then, and nothing later.
 */
export function whileProgress(slowMs: number, start: (progressed: () => void) => Promise<unknown>): Promise<void> {
	return new Promise((resolve, reject) => {
		let timer: NodeJS.Timeout | undefined;
		const progressed = () => {
			clearTimeout(timer);
			timer = setTimeout(resolve, slowMs).unref();
		};
		progressed();
		start(progressed)
			.then(() => resolve(), reject)
			.finally(() => clearTimeout(timer));
	});
}

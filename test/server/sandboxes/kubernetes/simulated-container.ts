import {PassThrough, Writable} from 'node:stream';
import type {Container, ContainerSpec} from './stub-container.ts';

/** What was done in a simulated container. */
export type Simulated = {
	readonly spec: ContainerSpec;
	/** How often its program was told to begin; only the first counts. */
	begins: number;
	readonly end: (status: number) => void;
	readonly write: (text: string) => void;
	hasEnded: boolean;
};

/** Returns a function that starts containers without processes, and what it has started. */
export function simulateContainers({hangsOnTerm = false} = {}) {
	const started: Simulated[] = [];
	const startContainer = async (spec: ContainerSpec): Promise<Container> => {
		const take: ((part: Buffer) => void)[] = [];
		let finish = (_status: number) => {};
		const ended = new Promise<number>(resolve => {
			finish = resolve;
		});
		const container: Simulated = {
			spec,
			begins: 0,
			hasEnded: false,
			end(status) {
				container.hasEnded = true;
				finish(status);
			},
			write(text) {
				for (const each of take) {
					each(Buffer.from(text));
				}
			},
		};
		started.push(container);
		return {
			output: each => void take.push(each),
			ended,
			test: async () => container.begins > 0 && !container.hasEnded,
			run(words) {
				const output = new PassThrough();
				let received = 0;
				let done = (_status: number) => {};
				const programEnded = new Promise<number>(resolve => {
					done = resolve;
				});
				const complete = () => {
					if (container.begins === 0) {
						container.begins += 1;
						container.write('[sandbox] begun\n');
					}

					output.end();
					done(0);
				};
				// The script that fills a pod has the length of its archive as the last word.
				const expected = words[3] === 'fill' ? Number(words.at(-1)) : 0;
				if (expected === 0) {
					complete();
				}

				const input = new Writable({
					write(part: Buffer, _encoding, written) {
						received += part.length;
						if (received >= expected && expected > 0) {
							complete();
						}

						written();
					},
				});
				return {input, output, ended: programEnded, kill: () => done(137)};
			},
			signal(name) {
				if (name === 'SIGKILL' || !hangsOnTerm) {
					container.end(name === 'SIGKILL' ? 137 : 143);
				}
			},
		};
	};
	return {started, startContainer};
}

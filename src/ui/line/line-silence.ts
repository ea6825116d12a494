import {formatElapsed} from '../../core/format.ts';
import type {AppStore} from '../../store/store.ts';
import {awaitsModel, retryTime} from '../attention/attention-text.ts';

const checkMs = 5000;

/** How long a silence is ordinary, as of a model that thinks. It's told again after each doubling. */
const firstMs = 30_000;

/** Announces during a run for how long its model has written nothing, and the key that ends that. */
export function followSilence(store: AppStore, say: (text: string) => void): void {
	let heard = {seq: -1, at: 0};
	let nextMs = firstMs;
	let timer: NodeJS.Timeout | undefined;
	const hear = () => {
		const {transcript} = store.getState();
		heard = {seq: transcript.seq, at: Math.max(Date.now(), retryTime(transcript))};
		nextMs = firstMs;
	};
	const check = () => {
		const {transcript} = store.getState();
		const silentMs = Date.now() - heard.at;
		if (transcript.seq !== heard.seq || !awaitsModel(transcript)) {
			hear();
		} else if (silentMs >= nextMs) {
			nextMs *= 2;
			say(`No output for ${formatElapsed(silentMs)} · Ctrl+C interrupt`);
		}
	};

	store.subscribe(({transcript}) => {
		if (transcript.run && timer === undefined) {
			hear();
			timer = setInterval(check, checkMs).unref();
		} else if (!transcript.run && timer !== undefined) {
			clearInterval(timer);
			timer = undefined;
		}
	});
}

import type {ModeSwitches, ShownMode, TerminalMode} from './terminal-modes.ts';

type Dependencies = {
	readonly modes: ModeSwitches;
	readonly write: (text: string) => void;
	/** Returns true while another program has the terminal. */
	readonly isLent: () => boolean;
	readonly onResume: (() => void) | undefined;
};

/** Creates what the terminal shows of us outside of its window: title and progress, and signals such as the bell. */
export function createShownModes({modes, write, isLent, onResume}: Dependencies) {
	const shown = new Map<TerminalMode, string>();
	/** True once nothing would switch a mode off again. */
	let isOver = false;
	const isOurs = () => !isOver && !isLent();
	return {
		isOver: () => isOver,
		setOver(value: boolean) {
			isOver = value;
		},
		signal: (sequence: string) => write(isOurs() ? sequence : ''),
		show(mode: ShownMode, sequence: string) {
			shown.set(mode, sequence);
			if (isOurs()) {
				modes.enable(mode);
				write(sequence);
			}
		},
		disable(mode: TerminalMode) {
			shown.delete(mode);
			modes.disable(mode);
		},
		/** The modes are on again, and with them what they showed last. */
		onResume() {
			const sequences = modes.enabled().map(mode => shown.get(mode) ?? '');
			write(sequences.join(''));
			onResume?.();
		},
	};
}

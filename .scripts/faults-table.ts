import {markdownTable} from '../src/command/topics/tables.ts';
import {formatNumber} from '../src/core/format.ts';

/** What `npm run faults -- --write` stores. */
type FaultFigures = {
	/** When it ran, as ISO 8601. */
	readonly at: string;
	readonly machine: {
		readonly node: string;
		readonly system: string;
		readonly processors: number;
		/** The load average of five minutes at the end. */
		readonly load: number;
	};
	readonly figures: readonly FaultFigure[];
};

type FaultFigure = {
	readonly name: string;
	/** The rules of .github/SAFETY.md that it proves. */
	readonly rules: readonly number[];
	readonly tried: number;
	readonly failed: number;
	readonly seed: number;
	/** What the machine lacked for it. */
	readonly missing?: string;
};

/** Returns the table of faults with their figures, as Markdown. */
export function faultsTable({at, machine, figures}: FaultFigures): string {
	const {node, system, processors, load} = machine;
	const sum = (key: 'tried' | 'failed') => formatNumber(figures.reduce((total, each) => total + each[key], 0));
	const rows = figures.map(({name, rules, tried, failed, seed, missing}) => [
		name,
		rules.join(', '),
		missing === undefined ? formatNumber(tried) : missing,
		missing === undefined ? formatNumber(failed) : '',
		String(seed),
	]);
	return [
		`${at.slice(0, 10)}: ${sum('tried')} tried, ${sum('failed')} failed. ${processors} processors at load ${load}, ${system}, Node ${node.slice(1)}.\n`,
		markdownTable(['fault, and what must hold', 'rules', 'tried', 'failed', 'seed'], rows),
	].join('\n');
}

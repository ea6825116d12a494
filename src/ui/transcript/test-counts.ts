import {formatAmount, formatNumber} from '../../core/format.ts';
import {withoutSgr} from '../../terminal/text/sgr.ts';

/** Most characters of an output that are searched, from its end, where test runners write their summary. */
const maxRead = 64 * 1024;
/** A longer line is no summary. */
const maxLine = 200;

type Count = 'passed' | 'failed' | 'skipped' | 'total' | 'other';

/** What runners call their counts; `other` is counted beside the tests. */
const words: readonly (readonly [Count, RegExp])[] = [
	['passed', /^(?:x?pass(?:ed|ing)?|succeeded)$/],
	['failed', /^(?:fail(?:ed|ing|ures?)?|errors?)$/],
	['skipped', /^(?:skip(?:ped|s)?|pending|ignored|todo|xfailed|deselected|disabled)$/],
	['total', /^(?:tests?(?: run)?|examples?|total)$/],
	['other', /^(?:warnings?|suites|cancelled|measured|filtered out|assertions?|flaky)$/],
];
const word = '[a-z]+(?: run| out)?';
const pair = new RegExp(
	String.raw`(\d[\d,]*) (${word})\b|\b(${word})(?:[:=] *| +)(\d[\d,]*)(?![\d.]|,\d| *[a-z])`,
	'gi',
);

/** What may stand around the counts: the sign and the name of the line, its time, and how many there are in all. */
const frame =
	/^\[(?:info|warning|error)\]|^[#ℹ]|\btest result:|\btests?:?(?= )|\b(?:ok|failed|passed|ran|done)\b|, duration:.*$|\b(?:finished )?in [\d.]+ ?m?s(?:econds)?\b|\([\d.:, hms]+\)/gi;
/** The summary of a package of Go, which counts no tests. */
const goPackage = /^(ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\))/;
const goTest = /^\s*--- (PASS|FAIL|SKIP): \S/;
const goCounts = {PASS: 'passed', FAIL: 'failed', SKIP: 'skipped'} as const;

type Counts = Record<Count, number>;

/**
 * Returns how many tests passed, failed and were skipped, such as `1 failed, 41 passed`, from the summary lines of an output;
 * undefined without one. Reads vitest, jest, node, mocha, bun, pytest, go, cargo and what writes like them: a summary is a line of
 * nothing but counts. Several summaries are added.
 */
export function testCounts(output: string): string | undefined {
	const sum: Counts = {passed: 0, failed: 0, skipped: 0, total: 0, other: 0};
	const packages = {passed: 0, failed: 0};
	// A count alone in its line may be anything; two of them, or one with a name or a time, are a summary.
	let evidence = 0;
	for (const line of output.slice(-maxRead).split('\n')) {
		const text = line.length > maxLine ? '' : withoutSgr(line).trimEnd();
		const [, result] = goTest.exec(text) ?? [];
		const [, ended] = goPackage.exec(text) ?? [];
		if (result) {
			sum[goCounts[result as keyof typeof goCounts]]++;
			evidence += 2;
		} else if (ended) {
			packages[ended === 'ok' ? 'passed' : 'failed']++;
		} else if (/\d/.test(text)) {
			evidence += addSummary(text, sum);
		}
	}

	const passed = sum.passed || Math.max(0, sum.total - sum.failed - sum.skipped);
	if (evidence >= 2 && passed + sum.failed > 0) {
		return textOf({failed: sum.failed, passed, skipped: sum.skipped});
	}

	const {failed} = packages;
	return failed + packages.passed > 0
		? `${textOf(packages)} (${formatAmount(failed + packages.passed, 'package')})`
		: undefined;
}

/** Adds the counts of a line if it has nothing else. Returns 0 if it is no summary, 1 for a lone count, and 2 for a sure one. */
function addSummary(line: string, sum: Counts): number {
	const found: (readonly [Count, number])[] = [];
	const without = line.replace(/^[=\-─\s]+|[=\-─\s]+$/g, '').replace(pair, (whole, ...groups) => {
		const [before, after, first, last] = groups as (string | undefined)[];
		const name = (after ?? first ?? '').toLowerCase();
		const kind = words.find(([, pattern]) => pattern.test(name))?.[0];
		found.push([kind ?? 'other', Number((before ?? last ?? '').replaceAll(',', ''))]);
		return kind ? '' : whole;
	});
	const rest = without.replace(frame, '');
	const isTest = found.some(([kind]) => kind !== 'other');
	if (!isTest || /[\p{L}\p{N}]/u.test(rest)) {
		return 0;
	}

	for (const [kind, count] of found) {
		sum[kind] += count;
	}

	const isFramed = rest.length < without.length || found.length > 1;
	return isFramed ? 2 : 1;
}

function textOf({
	failed,
	passed,
	skipped = 0,
}: {
	readonly failed: number;
	readonly passed: number;
	skipped?: number;
}): string {
	return [
		...(failed > 0 ? [`${formatNumber(failed)} failed`] : []),
		...(passed > 0 || failed === 0 ? [`${formatNumber(passed)} passed`] : []),
		...(skipped > 0 ? [`${formatNumber(skipped)} skipped`] : []),
	].join(', ');
}

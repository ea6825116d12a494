import {pathsText} from '../../agent/paths/path-text.ts';
import {formatAmount} from '../../core/format.ts';
import type {LeftOut, PackedChanges} from '../../core/packed-changes.ts';
import {exactLine} from '../../terminal/text/blanks.ts';
import type {CommandContext} from '../context.ts';
import {rowsDrawing} from '../views/project/trust-view.ts';

/** Uncommitted changes that the user is asked about. */
type Changes = {
	/** A clone of the repository on this machine, which has the commit. */
	readonly top: string;
	readonly packed: PackedChanges;
	readonly left: LeftOut;
};

/** Asks whether changes may be sent or applied, and shows each of them. */
export async function agreeToChanges(
	question: string,
	facts: ReadonlyArray<readonly [string, string]>,
	{top, packed, left}: Changes,
	{ui}: CommandContext,
): Promise<boolean> {
	const {describeChanges} = await import('../../agent/handoff/describe-changes.ts');
	const rows = (await describeChanges(top, packed)).map(line => ({text: exactLine(line), indent: '  '}));
	const title = `${formatAmount(packed.changes.length, 'uncommitted change')} since ${packed.commit.slice(0, 10)}`;
	const about = {facts: [...facts, ...leftFacts(left)]};
	return ui.interact.confirm(question, about, rows.length > 0 ? rowsDrawing(title, rows) : undefined);
}

/** Most names in a fact. */
const maxNames = 5;

function leftFacts({secrets, others}: LeftOut): ReadonlyArray<readonly [string, string]> {
	return [
		...(secrets.length > 0
			? [['Left out', `${pathsText(secrets, maxNames)} (may hold secrets; \`--secrets\` includes them)`] as const]
			: []),
		...(others.length > 0 ? [['Left out', `${pathsText(others, maxNames)} (protected, or no file)`] as const] : []),
	];
}

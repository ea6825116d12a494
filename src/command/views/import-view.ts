import {formatAmount} from '../../core/format.ts';
import {shellWord} from '../../core/shell-word.ts';
import type {ImportOutcome} from '../../session/import-sessions.ts';
import type {Result} from '../result.ts';

/** Returns what was imported, with what isn't in it as it was. `here` is the folder that the agent works in. */
export function importResult({sessions, failures, passed}: ImportOutcome, here: string): Result {
	const fresh = sessions.filter(({isNew}) => isNew);
	const isElsewhere = sessions.some(({folder}) => folder !== here);
	return {
		kind: 'table',
		title: titleOf(fresh.length, sessions.length),
		columns: [
			{label: 'id'},
			{label: 'from'},
			{label: 'updated'},
			{label: 'messages', align: 'right'},
			{label: 'calls', align: 'right', spare: true},
			...(isElsewhere ? [{label: 'folder', cut: 'middle', spare: true} as const] : []),
			{label: 'about'},
		],
		rows: sessions.map(({id, client, at, messages, calls, folder, title, isNew}) => [
			id.slice(0, 8),
			client,
			{at},
			String(messages),
			String(calls),
			...(isElsewhere ? [folder] : []),
			isNew ? title : `${title} (imported before)`,
		]),
		empty: '',
		opens: {words: ['resume'], ids: sessions.map(({id}) => id)},
		notes: [
			...sessions.flatMap(({id, remainder}) => remainder.map(text => `${id.slice(0, 8)}: ${text}`)).slice(0, maxNotes),
			...sessions
				.flatMap(({id, path, newMessages}) => {
					const more = formatAmount(newMessages, 'more message');
					const way = `\`import ${shellWord(path)} --again\``;
					return newMessages > 0
						? [`${id.slice(0, 8)} has ${more} there now. Import it whole, as another session: ${way}`]
						: [];
				})
				.slice(0, maxNotes),
			...failures.slice(0, maxNotes).map(({path: file, message}) => `Not imported: ${file}: ${message}`),
			...(failures.length > maxNotes ? [`${failures.length - maxNotes} more files were not imported.`] : []),
			...passed,
			'Resume one: `resume <id>`',
		],
		data: {
			sessions: sessions.map(({isNew, at, newMessages, ...session}) => {
				return {...session, updated_at: at, is_new: isNew, new_messages: newMessages};
			}),
			failures,
			notes: passed,
		},
	};
}

/** Most sentences of one kind below the list. */
const maxNotes = 12;

function titleOf(fresh: number, all: number): string {
	const before = all - fresh;
	const known = before > 0 ? `${before} imported before` : '';
	return [fresh > 0 || before === 0 ? `Imported ${formatAmount(fresh, 'conversation')}` : '', known]
		.filter(Boolean)
		.join(' · ');
}

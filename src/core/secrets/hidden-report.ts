import type {ErrorReport} from '../error.ts';

type Hide = (text: string) => string;

const hiders = new Set<Hide>();

/** That of the program that was closed last: what is thrown then is still reported. */
let closed: Hide = text => text;

/** Hides the credentials of a program in reports, whatever they look like. Returns what ends that once another is closed, too. */
export function hideInReports(hide: Hide): () => void {
	hiders.add(hide);
	return () => {
		hiders.delete(hide);
		closed = hide;
	};
}

/** Returns a report without the credentials of the programs of this process (SAFETY 8). */
export function hiddenReport({message, hint, ...report}: ErrorReport): ErrorReport {
	const hideAll = (text: string) => [...hiders, closed].reduce(hideIfRead, text);
	return {...report, message: hideAll(message), ...(hint && {hint: hideAll(hint)})};
}

/** Where credentials can't be read, the report may be of just that. */
function hideIfRead(text: string, hide: Hide): string {
	try {
		return hide(text);
	} catch {
		return text;
	}
}

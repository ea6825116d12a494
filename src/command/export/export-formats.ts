import {AppError} from '../../core/error.ts';

export const exportFormats = ['markdown', 'json', 'html', 'events'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The ending of a file of each format; the first one names new files. */
const endings: Readonly<Record<ExportFormat, readonly string[]>> = {
	markdown: ['md', 'markdown', 'txt'],
	json: ['json'],
	html: ['html', 'htm'],
	events: ['jsonl', 'ndjson'],
};

/** Returns the ending of new files, without a dot. */
export function endingOf(format: ExportFormat): string {
	return endings[format][0] ?? '';
}

/**
 * Returns the format that the flags name, else that of the file's ending, else Markdown. Throws AppError("usage") for flags
 * that contradict each other, and without a flag for the ending of another format, such as `.pdf`.
 */
export function exportFormat(given: {
	readonly format?: ExportFormat | undefined;
	readonly events?: boolean | undefined;
	readonly file?: string | undefined;
}): ExportFormat {
	const {format, events, file = ''} = given;
	if (events && format !== undefined && format !== 'events') {
		throw new AppError('usage', `--events and --format ${format} contradict each other.`, {hint: 'Use one of them.'});
	}

	const ending = /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? '';
	const named = exportFormats.find(each => endings[each].includes(ending));
	if (ending && !named && !format && !events) {
		throw new AppError('usage', `Can't export to .${ending}.`, {
			hint: 'End the file in .md, .html, .json or .jsonl, or pass --format.',
		});
	}

	return events ? 'events' : (format ?? named ?? 'markdown');
}

/** Returns the name of a file that a command keeps: with the time, so that no export collides with the next one. */
export function exportName(what: string, ending: string): string {
	const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
	return `${what}-${time}.${ending}`;
}

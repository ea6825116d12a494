import {AppError} from '../error.ts';

const [minUsd, maxUsd] = [0.0001, 1_000_000];

/** Parses an amount in US dollars as typed: `5`, `$5`, `0.50` or `5 USD`. Throws AppError("usage") for any other. */
export function parseUsd(text: string): number {
	const [, digits] =
		/^(?:US)?\$?\s*(\d{1,12}(?:\.\d{1,12})?|\.\d{1,12})\s*(?:\$|USD|dollars?)?$/i.exec(text.trim()) ?? [];
	const usd = Number(digits);
	if (digits === undefined) {
		throw new AppError('usage', `Invalid amount “${text}”.`, {
			hint: 'A budget is an amount above 0 in US dollars, such as 5 or 0.50.',
		});
	}

	if (usd < minUsd) {
		throw new AppError('usage', `A budget of “${text}” is too small: nothing could be sent.`, {
			hint: `Use at least ${minUsd} dollars, or set no budget.`,
		});
	}

	if (usd > maxUsd) {
		throw new AppError('usage', `A budget of “${text}” is too large.`, {hint: `Use at most ${maxUsd} dollars.`});
	}

	return usd;
}

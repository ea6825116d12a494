import {AppError} from '../../core/error.ts';

/** Returns the error for what the user refused: the model reads their reason, or asks for it. */
export function refusal(refused: string, reason: string | undefined): AppError {
	return reason
		? new AppError('failed', `${refused} They said: ${reason}`)
		: new AppError('failed', refused, {hint: 'Ask what they want instead.'});
}

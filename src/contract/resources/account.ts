import * as z from 'zod/mini';
import {anyObject, text} from '../scalars.ts';

export const mfaCodeSchema = z.strictObject({code: text(1, 64)});

/** `MfaEnrollmentVerifyResponse`: shown once; each works for one login. */
export const mfaEnrollmentSchema = z.looseObject({recovery_codes: z.array(z.string())});

export const createApiKeySchema = z.strictObject({name: z.optional(z.string())});

/** A new API key with its secret; the specification names none of its fields. */
export const apiKeySchema = anyObject;

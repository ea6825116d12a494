import process from 'node:process';

// Ink draws nothing where these are set, and looks when it is loaded: imported before anything else.
process.env['CI'] = 'false';
process.env['CONTINUOUS_INTEGRATION'] = 'false';

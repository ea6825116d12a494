import fc from 'fast-check';

/** The same random cases in every run. Without this file, as at a desk, each run has new ones. */
fc.configureGlobal({...fc.readConfigureGlobal(), seed: 20_261_121});

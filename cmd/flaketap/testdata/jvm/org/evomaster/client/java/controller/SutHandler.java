package org.evomaster.client.java.controller;

/** Stands in for what suites in the generator's style import and, in black-box mode, do not use. */
public interface SutHandler {}

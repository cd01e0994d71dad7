"""Lowering of buffers and loops to C: conversion to `emitc`, guards, names and text."""

package scan

// table lists every rule that judges a file by itself, in the order of
// docs/checks.md. Each stands in a file of its own, rule_<id>.go.
func table() []rule {
	return []rule{
		// Readable files
		fileModeRule(),
		fileSizeRule(),
		fileArchiveRule(),
		fileProgramRule(),
		fileBinaryRule(),
		fileAssetRule(),
		fileEncodingRule(),
		lineLengthRule(),
		paddingRule(),
		tooDenseRule(),
		// Deceptive characters
		unicodeBidiRule(),
		unicodeInvisibleRule(),
		unicodeTagRule(),
		unicodeLookalikeRule(),
		unicodeControlRule(),
		// Hidden text
		hiddenCommentRule(),
		hiddenStyleRule(),
		encodedPayloadRule(),
		encodedBlobRule(),
		encodedRecipeRule(),
		disguisedOrderRule(),
		beaconRule(),
		// Instructions
		injectOverrideRule(),
		injectRoleRule(),
		injectRevealRule(),
		injectSafetyRule(),
		injectMarkupRule(),
		concealRule(),
		exfiltrateRule(),
		authorityClaimRule(),
		persistInstructionRule(),
		dutyRule(),
		crossSkillRule(),
		claimRankRule(),
		foreignOrderRule(),
		followDataRule(),
		unaskedRule(),
		weakenCheckRule(),
		wideScopeRule(),
		askSecretRule(),
		keyHuntRule(),
		exposeSecretRule(),
		delayedActRule(),
		coverTracksRule(),
		// Code
		agentConfigWriteRule(),
		downloadRunRule(),
		rawAddressRule(),
		dropHostRule(),
		decodeRunRule(),
		dynamicCodeRule(),
		disguisedCallRule(),
		reverseShellRule(),
		minerRule(),
		hiddenRunRule(),
		destructiveRule(),
		logWipeRule(),
		credentialSendRule(),
		secretBodyRule(),
		privateSendRule(),
		encodedSendRule(),
		secretPrintRule(),
		secretHarvestRule(),
		credentialReadRule(),
		privilegeRule(),
		startUpRule(),
		safeguardOffRule(),
		tunnelRule(),
		spyRule(),
		sudoRule(),
		startProcessRule(),
		nameTunnelRule(),
		chatChannelRule(),
		// Packages and servers
		packageTypoRule(),
		packageSourceRule(),
		packageInternalRule(),
		packageScriptRule(),
		packageUnpinnedRule(),
		serverCommandRule(),
		secretHandedRule(),
		// Declared and used
		undeclaredHostRule(),
		undeclaredSecretRule(),
		undeclaredEffectRule(),
		// Fake prerequisites
		lockedDownloadRule(),
		fakePrerequisiteRule(),
		luredSetupRule(),
		// Secrets
		secretRule(),
	}
}

// deltas lists every rule that compares a change with what was there before.
func deltas() []deltaRule {
	return []deltaRule{
		// What a change adds
		newHostRule(),
		newCallRule(),
		newDutyRule(),
		newGrantRule(),
		newRecipientRule(),
		newReachRule(),
		newPowerRule(),
		lostSafeguardRule(),
	}
}

# CPack runs this on the files of each Debian package before it packs them: man pages and changelogs compressed, the
# copyright, zsh's completion where Debian's zsh looks under /usr, and programs without symbols.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
    return()
endif()
find_program(GZIP gzip REQUIRED)
find_program(STRIP strip REQUIRED)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
    set(documents ${root}/share/doc/${component})
    file(COPY ${CPACK_EARSHOT_DOCUMENTS}/ DESTINATION ${documents}
         FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ
         DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    file(GLOB pages ${root}/share/man/man1/*.1)
    execute_process(COMMAND ${GZIP} -9nf ${documents}/changelog ${documents}/changelog.Debian ${pages}
                    COMMAND_ERROR_IS_FATAL ANY)
    if(EXISTS ${root}/share/zsh/site-functions)
        file(RENAME ${root}/share/zsh/site-functions ${root}/share/zsh/vendor-completions)
    endif()
    # Empty where JUCE puts nothing beside the model, which is in earshot-data.
    set(resources ${root}/lib/vst3/Earshot.vst3/Contents/Resources)
    file(GLOB content ${resources}/*)
    if(NOT content)
        file(REMOVE_RECURSE ${resources})
    endif()
    file(GLOB_RECURSE found ${root}/lib/*.so ${root}/lib/*.so.*)
    set(libraries)
    foreach(library IN LISTS found)
        if(NOT IS_SYMLINK ${library})
            list(APPEND libraries ${library})
        endif()
    endforeach()
    file(GLOB_RECURSE archives ${root}/lib/*.a)
    if(archives)
        execute_process(COMMAND ${STRIP} --strip-debug --remove-section=.comment --remove-section=.note ${archives}
                        COMMAND_ERROR_IS_FATAL ANY)
    endif()
    file(GLOB programs ${root}/bin/*)
    if(libraries OR programs)
        execute_process(COMMAND ${STRIP} --strip-unneeded --remove-section=.comment --remove-section=.note
                                ${libraries} ${programs} COMMAND_ERROR_IS_FATAL ANY)
    endif()
    if(libraries) # Debian's shared objects are not executable
        file(CHMOD ${libraries} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    endif()
endforeach()
